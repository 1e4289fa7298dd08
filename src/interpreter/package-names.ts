/** What is imported, and the package that brings it where that has another name. */
const PACKAGES = pairs(`
  _cffi_backend=cffi _pytest=pytest antlr4=antlr4-python3-runtime attr=attrs barcode=python-barcode Bio=biopython
  bs4=beautifulsoup4 camelot=camelot-py community=python-louvain corsheaders=django-cors-headers
  cpuinfo=py-cpuinfo Crypto=pycryptodome Cryptodome=pycryptodomex cv2=opencv-python-headless daemon=python-daemon
  dateutil=python-dateutil decouple=python-decouple discord=discord.py django_filters=django-filter dns=dnspython
  docx=python-docx dotenv=python-dotenv engineio=python-engineio environ=django-environ faiss=faiss-cpu
  ffmpeg=ffmpeg-python fitz=PyMuPDF git=GitPython github=PyGithub gitlab=python-gitlab gnupg=python-gnupg
  google.auth=google-auth google.cloud.bigquery=google-cloud-bigquery google.cloud.storage=google-cloud-storage
  google.genai=google-genai google.generativeai=google-generativeai google.oauth2=google-auth
  google.protobuf=protobuf googleapiclient=google-api-python-client grpc=grpcio haystack=haystack-ai
  imblearn=imbalanced-learn jose=python-jose jwt=PyJWT kafka=kafka-python magic=python-magic MeCab=mecab-python3
  memcache=python-memcached mpl_toolkits=matplotlib mysql.connector=mysql-connector-python MySQLdb=mysqlclient
  nacl=PyNaCl newspaper=newspaper3k nmap=python-nmap odf=odfpy OpenGL=PyOpenGL OpenSSL=pyOpenSSL
  pdfminer=pdfminer.six PIL=Pillow pptx=python-pptx psycopg=psycopg[binary] psycopg2=psycopg2-binary
  pylab=matplotlib pythoncom=pywin32 pythonjsonlogger=python-json-logger pywintypes=pywin32 pywt=PyWavelets
  pyximport=Cython readability=readability-lxml rest_framework=djangorestframework RPi=RPi.GPIO ruamel=ruamel.yaml
  serial=pyserial shapefile=pyshp skimage=scikit-image sklearn=scikit-learn skopt=scikit-optimize
  sksurv=scikit-survival slugify=python-slugify snappy=python-snappy socketio=python-socketio
  speech_recognition=SpeechRecognition stdnum=python-stdnum Stemmer=PyStemmer tabula=tabula-py talib=TA-Lib
  telebot=pyTelegramBotAPI telegram=python-telegram-bot tlz=toolz ulid=python-ulid umap=umap-learn usb=pyusb
  vtkmodules=vtk websocket=websocket-client win32api=pywin32 win32com=pywin32 win32con=pywin32 win32file=pywin32
  win32gui=pywin32 wx=wxPython Xlib=python-xlib yaml=PyYAML zmq=pyzmq
`);
/** The same of what has left the standard library. */
const SUCCESSORS = pairs(`
  asynchat=pyasynchat asyncore=pyasyncore cgi=legacy-cgi distutils=setuptools pkg_resources=setuptools<81
`);

/** Parts of Python itself that an installation may lack: no package brings them. */
const OF_PYTHON = new Set(
  (
    "_bz2 _ctypes _curses _decimal _lzma _sqlite3 _ssl _tkinter curses fcntl grp msvcrt pwd readline resource " +
    "termios tkinter turtle winreg winsound"
  ).split(" "),
);
/** Namespaces: the package of that name is something else, and the error doesn't say what was meant. */
const NAMESPACES = new Set(["azure", "google", "mysql", "zope"]);
const NAME = /^[A-Za-z_][\w.]*$/;
const MAX_NAME_CHARS = 100;
/** Only the end is looked at: there the error is that ended the run (characters). */
const LOOKED_AT = 4000;

/**
 * The package that brings a module, where its name is known to differ from the module's; undefined otherwise.
 *
 * @param module such as `google.protobuf.message`
 */
export function packageOf(module: string): string | undefined {
  for (let name = module; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
    const found = PACKAGES.get(name) ?? SUCCESSORS.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * What to tell the caller of a run that ended by a missing import; undefined if it didn't, or if nothing is known of it.
 * Of what the code wrote only a name is repeated, and only if it looks like one.
 *
 * @param stderr the end of what the run wrote there
 * @param mayAsk whether the operator lets callers ask for packages
 * @example hintForMissingImport("ModuleNotFoundError: No module named 'cv2'\n", true)
 */
export function hintForMissingImport(stderr: string, mayAsk: boolean): string | undefined {
  const module = missingModule(stderr);
  if (module === undefined || NAMESPACES.has(module)) return undefined;
  if (OF_PYTHON.has(module)) {
    return `\`${module}\` is a part of Python that this installation or platform lacks; no package brings it.`;
  }
  const known = packageOf(module);
  if (known === undefined && module.includes(".")) return undefined; // its package is there, only that part isn't
  const wanted = known ?? module;
  if (!mayAsk) {
    const name = known === undefined ? "It" : `Its package, ${known},`;
    return `\`${module}\` is not installed. ${name} can't be asked for here (\`--packages none\`): do without, or ask the operator.`;
  }
  const ask = `packages: ${JSON.stringify([wanted])}`;
  return known === undefined
    ? `\`${module}\` is not installed. If it is a package of the index and no file of yours, ask for it with \`${ask}\`; its name there may differ.`
    : `\`${module}\` is in the package ${known}: ask for it with \`${ask}\`.`;
}

function missingModule(stderr: string): string | undefined {
  const lines = stderr.slice(-LOOKED_AT).trimEnd().split("\n");
  const last = lines.findLast((line) => /^\w*Error\b/.test(line)) ?? "";
  const name = /^(?:ModuleNotFoundError|ImportError): No module named '([^']+)'$/.exec(
    last.trimEnd(),
  )?.[1];
  return name !== undefined && name.length <= MAX_NAME_CHARS && NAME.test(name) ? name : undefined;
}

/** `module=package`, separated by blanks. */
function pairs(list: string): Map<string, string> {
  const entries = list.trim().split(/\s+/);
  return new Map(
    entries.map((entry) => [/^[^=]+/.exec(entry)?.[0] ?? "", entry.replace(/^[^=]+=/, "")]),
  );
}
