import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  credentialPaths,
  existingCredentials,
  futureCredentials,
} from "../../../src/sandbox/credentials.ts";
import { isWithin } from "../../../src/sandbox/path-sets.ts";
import { makeTestFolder, type TestFolder } from "../../support/test-folder.ts";

const HOME = "/home/ada";
const APP = `${HOME}/Library/Application Support`;

describe.skipIf(process.platform === "win32")("credentials", () => {
  test.each([
    ".ssh .gnupg .aws .azure .config/gcloud .kube .docker .netrc .git-credentials .config/git/credentials",
    ".npmrc .pypirc .pip/pip.conf .config/pip/pip.conf .cargo/credentials.toml .gem/credentials .terraformrc",
    ".vault-token .local/share/heroku .fly .local/share/com.vercel.cli .config/netlify .config/gh",
    ".password-store .config/op .*_history .claude .claude.json* .codex .cursor .gemini .config/Claude",
    ".config/Code/User/globalStorage .thunderbird .config/Signal .config/Slack .pgpass .my.cnf .mongorc.js",
    ".cache/huggingface/token .huggingface .kaggle .config/openai",
  ])("lie on every system in %s", (names) => {
    for (const name of names.split(" ")) {
      expect(credentialPaths(HOME, "linux")).toContain(join(HOME, name));
      expect(credentialPaths(HOME, "darwin")).toContain(join(HOME, name));
    }
  });

  test.each([
    "/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssh/*_key /etc/ssl/private",
    "/root /var/lib/docker /var/lib/kubelet /etc/kubernetes /var/run/secrets /run/secrets",
    `${HOME}/.mozilla ${HOME}/.config/google-chrome* ${HOME}/.config/chromium* ${HOME}/.config/BraveSoftware`,
    `${HOME}/.config/microsoft-edge* ${HOME}/.local/share/keyrings ${HOME}/.local/share/kwalletd`,
  ])("lie on Linux in %s", (paths) => {
    expect(credentialPaths(HOME, "linux")).toEqual(expect.arrayContaining(paths.split(" ")));
  });

  test("lie on a Mac in its Library", () => {
    expect(credentialPaths(HOME, "darwin")).toEqual(
      expect.arrayContaining([
        `${HOME}/Library/Keychains`,
        "/Library/Keychains",
        `${APP}/Firefox`,
        `${APP}/Google/Chrome*`,
        `${APP}/Chromium`,
        `${APP}/BraveSoftware`,
        `${APP}/Microsoft Edge*`,
        `${HOME}/Library/Safari`,
        `${APP}/Claude`,
        `${APP}/Code/User/globalStorage`,
        "/var/root",
      ]),
    );
  });

  test("are not looked for on Windows", () => {
    expect(credentialPaths("C:\\Users\\ada", "win32")).toEqual([]);
    expect(existingCredentials("C:\\Users\\ada", "win32", [], {})).toEqual({
      hidden: [],
      exceptions: [],
    });
  });

  test.each(["linux", "darwin"] as const)(
    "on %s leave alone what Python needs, and what isn't absolute",
    (platform) => {
      const variables = { XDG_CONFIG_HOME: "relative", HISTFILE: "", GNUPGHOME: "~/.gnupg" };
      const paths = credentialPaths(HOME, platform, variables);
      const needed =
        `.cache/pip .cache/uv .cache/matplotlib .cache/huggingface/hub .pyenv .local/lib/python3.12
        .local/share/uv/python .local/bin .conda .condarc miniconda3 anaconda3 .virtualenvs .local/share/virtualenvs
        .cache/pypoetry .config/matplotlib .gitconfig .config/git/config .config/pip .cargo/bin .rustup .nltk_data
        .cache/torch .keras Library/Caches/pip Library/Python Library/Fonts .ipython .jupyter`.split(
          /\s+/,
        );
      for (const name of needed) {
        const path = join(HOME, name);
        expect(paths.filter((hidden) => !hidden.includes("*") && isWithin(path, hidden))).toEqual(
          [],
        );
      }
      expect(paths.filter((path) => !path.startsWith("/"))).toEqual([]);
      expect(paths.filter((path) => isWithin(HOME, path))).toEqual([]);
    },
  );

  test("follow the variables that move them", () => {
    const paths = credentialPaths(HOME, "linux", {
      XDG_CONFIG_HOME: "/c",
      XDG_DATA_HOME: "/d",
      CARGO_HOME: "/cargo",
      HF_HOME: "/hf",
      KUBECONFIG: "/k/one:/k/two",
      KRB5CCNAME: "FILE:/tmp/krb5",
    });
    expect(paths).toEqual(
      expect.arrayContaining([
        "/c/gh",
        `${HOME}/.config/gh`,
        "/d/keyrings",
        "/cargo/credentials.toml",
        "/hf/token",
        "/k/one",
        "/k/two",
        "/tmp/krb5",
      ]),
    );
    expect(paths).not.toEqual(expect.arrayContaining(["/cargo"]));
    expect(paths).not.toEqual(expect.arrayContaining(["/hf"]));
  });

  test.each(["/root", "/root/inner"])("leave root's home open where home is %s", (home) => {
    expect(credentialPaths(home, "linux")).not.toContain("/root");
  });
});

describe.skipIf(process.platform === "win32")("what is hidden here", () => {
  let folder: TestFolder;
  let home: string;

  beforeEach(() => {
    folder = makeTestFolder();
    home = join(folder.path, "home");
    for (const name of [
      ".ssh/id",
      ".npmrc",
      ".bash_history",
      ".gitconfig",
      ".config/gh/hosts.yml",
    ]) {
      make(name);
    }
  });
  afterEach(() => folder.remove());

  function make(name: string): string {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
    return path;
  }

  /** What is hidden below the test's folder, and the exceptions. */
  function look(allowRead: readonly string[] = [], variables: NodeJS.ProcessEnv = {}) {
    const { hidden, exceptions } = existingCredentials(home, "linux", allowRead, variables);
    return { hidden: hidden.filter((path) => isWithin(path, folder.path)).toSorted(), exceptions };
  }

  const inHome = (...names: readonly string[]) => names.map((name) => join(home, name));

  test("is what exists, and nothing else", () => {
    expect(look()).toEqual({
      hidden: inHome(".bash_history", ".config/gh", ".npmrc", ".ssh"),
      exceptions: [],
    });
  });

  test.runIf(process.platform === "linux")("is the machine's own, too", () => {
    expect(existingCredentials(home, "linux", [], {}).hidden).toContain("/etc/shadow");
  });

  test("is the real file behind a link", () => {
    writeFileSync(join(folder.path, "dotfile"), "");
    symlinkSync(join(folder.path, "dotfile"), join(home, ".pypirc"));
    mkdirSync(join(folder.path, "keys"));
    symlinkSync("../keys", join(home, ".gnupg"));
    const { hidden } = look();
    expect(hidden).toContain(join(folder.path, "dotfile"));
    expect(hidden).toContain(join(folder.path, "keys"));
    expect(hidden).not.toContain(join(home, ".gnupg"));
  });

  test("is neither a device, nor home, nor what is above it", () => {
    symlinkSync("/dev/null", join(home, ".python_history"));
    symlinkSync(".", join(home, ".aws"));
    symlinkSync("/", join(home, ".azure"));
    symlinkSync("nowhere", join(home, ".kube"));
    const { hidden } = existingCredentials(home, "linux", [], { HISTFILE: "/dev/null" });
    expect(hidden).not.toContain("/dev/null");
    expect(hidden.filter((path) => isWithin(home, path))).toEqual([]);
  });

  test("matches names by their pattern only", () => {
    const others = [".bash_history2", "my.bash_history", ".ipython/profile_x/history.sqlite"];
    for (const name of [".zsh_history", "._history", ...others]) make(name);
    const wanted = [".zsh_history", "._history", ".ipython/profile_x/history.sqlite"];
    expect(look().hidden).toEqual(expect.arrayContaining(inHome(...wanted)));
    expect(look().hidden).not.toEqual(expect.arrayContaining(inHome(".bash_history2")));
    expect(look().hidden).not.toEqual(expect.arrayContaining(inHome("my.bash_history")));
  });

  test("may be joined by what comes to places that are empty now, but for what may be read", () => {
    symlinkSync(home, join(folder.path, "home-link"));
    const future = futureCredentials(join(folder.path, "home-link"), "linux", [
      join(home, ".config/op"),
    ]);
    expect(future).toEqual(expect.arrayContaining(inHome(".aws", ".config/gcloud", ".pypirc")));
    for (const path of inHome(".ssh", ".config/op", ".npmrc")) expect(future).not.toContain(path);
    expect(future.filter((path) => path.includes("*"))).toEqual([]);
  });

  test("names no path within another", () => {
    make(".gnupg/inner/key");
    const { hidden } = look([], {
      GNUPGHOME: join(home, ".gnupg/inner"),
      NETRC: join(home, ".ssh/id"),
    });
    expect(hidden).toEqual(inHome(".bash_history", ".config/gh", ".gnupg", ".npmrc", ".ssh"));
  });

  test("is not what may be read, nor what lies in it", () => {
    expect(look([join(home, ".npmrc"), join(home, ".config")])).toEqual({
      hidden: inHome(".bash_history", ".ssh"),
      exceptions: [],
    });
    expect(look([home])).toEqual({ hidden: [], exceptions: [] });
    expect(look(["/"])).toEqual({ hidden: [], exceptions: [] });
  });

  test("has exceptions for what may be read in a hidden folder, by their real paths", () => {
    make(".ssh/known/hosts");
    symlinkSync(join(home, ".ssh/known"), join(folder.path, "link"));
    const allowed = [
      join(folder.path, "link"),
      join(home, ".ssh/known/hosts"),
      join(home, ".gitconfig"),
    ];
    expect(look(allowed)).toEqual({
      hidden: inHome(".bash_history", ".config/gh", ".npmrc", ".ssh"),
      exceptions: inHome(".ssh/known"),
    });
  });
});
