/** A kind of secret, and where it lies. */
export interface CredentialPlaces {
  /** What is kept there, in a few words. */
  what: string;
  /**
   * Paths. `~` is the home folder; `$config`, `$data` and `$cache` are its XDG folders; `$app` is where programs of a
   * Mac keep such things; `$NAME` is what that variable holds, a path or several by colons. A `*` stands for anything
   * within one name.
   */
  everywhere: readonly string[];
  linux?: readonly string[];
  mac?: readonly string[];
}

const EDITORS = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];

/**
 * Where credentials lie, as far as is known: no such list is ever complete. A place is as narrow as it can be, since
 * Python's own things (pip and uv caches, pyenv, conda, `~/.local/lib`) are neighbours and must stay readable.
 */
export const CREDENTIAL_PLACES: readonly CredentialPlaces[] = [
  {
    what: "keys of SSH, GnuPG, X and the like",
    everywhere: paths(`
      ~/.ssh ~/.gnupg ~/.putty ~/.pki ~/.step ~/.cert ~/.mitmproxy ~/.Xauthority ~/.ICEauthority ~/.vnc
      ~/.android/adbkey ~/.age $config/age $config/sops $data/mkcert $GNUPGHOME $SSH_AUTH_SOCK $XAUTHORITY
    `),
    mac: paths("$app/mkcert $app/sops"),
  },
  {
    what: "clouds",
    everywhere: paths(`
      ~/.aws ~/.azure $config/azure $config/gcloud ~/.oci ~/.aliyun ~/.bluemix ~/.tccli $config/doctl $config/hcloud
      $config/linode-cli $config/scw $config/rclone ~/.rclone.conf ~/.s3cfg ~/.boto ~/.mc ~/.databrickscfg ~/.snowsql
      ~/.snowflake ~/.dbt/profiles.yml $AWS_SHARED_CREDENTIALS_FILE $AWS_CONFIG_FILE $AWS_WEB_IDENTITY_TOKEN_FILE
      $AZURE_CONFIG_DIR $BOTO_CONFIG $CLOUDSDK_CONFIG $GOOGLE_APPLICATION_CREDENTIALS $RCLONE_CONFIG
    `),
    mac: paths("$app/doctl"),
  },
  {
    what: "containers and clusters; a socket of theirs is as good as root",
    everywhere: paths(`
      ~/.kube ~/.minikube ~/.docker ~/.dockercfg $config/containers/auth.json $config/helm ~/.rancher /var/run/docker.sock
      $DOCKER_CONFIG $KUBECONFIG $REGISTRY_AUTH_FILE
    `),
    linux: paths(`
      /var/lib/docker /var/lib/containerd /var/lib/kubelet /var/lib/rancher /etc/kubernetes /etc/rancher
      /etc/docker/key.json /run/secrets /var/run/secrets /run/docker.sock /run/containerd/containerd.sock
      /run/crio/crio.sock /run/podman/podman.sock
    `),
  },
  {
    what: "infrastructure and hosting services",
    everywhere: paths(`
      ~/.terraformrc ~/.terraform.d/credentials.tfrc.json ~/.vault-token ~/.pulumi/credentials.json $data/heroku ~/.fly
      $data/com.vercel.cli ~/.vercel $config/netlify ~/.netlify ~/.railway ~/.supabase $config/stripe $config/ngrok
      ~/.ngrok2 ~/.wrangler $config/.wrangler $config/configstore ~/.serverlessrc ~/.sentryclirc ~/.circleci ~/.travis
      ~/.jfrog ~/.chef ~/.vault_pass $TF_CLI_CONFIG_FILE
    `),
    mac: paths("$app/com.vercel.cli $app/ngrok ~/Library/Preferences/netlify"),
  },
  {
    what: "Git and its hosts, netrc",
    everywhere: paths(`
      ~/.netrc ~/_netrc ~/.git-credentials $config/git/credentials ~/.git-credential-cache $cache/git/credential
      $config/gh $config/hub $config/glab-cli $config/tea $config/github-copilot $NETRC $GH_CONFIG_DIR $GLAB_CONFIG_DIR
    `),
    mac: paths("$app/glab-cli"),
  },
  {
    what: "package registries",
    everywhere: paths(`
      ~/.npmrc ~/.yarnrc ~/.yarnrc.yml ~/.bunfig.toml $config/pnpm/rc $config/pnpm/auth.ini ~/.pypirc ~/.pip/pip.conf
      $config/pip/pip.conf $config/pypoetry/auth.toml $data/uv/credentials ~/.continuum ~/.cargo/credentials
      ~/.cargo/credentials.toml ~/.gem/credentials $data/gem/credentials ~/.bundle/config ~/.composer/auth.json
      $config/composer/auth.json ~/.m2/settings.xml ~/.m2/settings-security.xml ~/.gradle/gradle.properties
      ~/.nuget/NuGet/NuGet.Config ~/.hex/hex.config ~/.pub-cache/credentials.json $CARGO_HOME/credentials
      $CARGO_HOME/credentials.toml $NPM_CONFIG_USERCONFIG $PIP_CONFIG_FILE
    `),
    mac: paths(
      "$app/pip/pip.conf $app/pypoetry/auth.toml ~/Library/Preferences/pypoetry/auth.toml",
    ),
  },
  {
    what: "models and data science",
    everywhere: paths(`
      $cache/huggingface/token $cache/huggingface/stored_tokens ~/.huggingface ~/.kaggle $config/kaggle
      $config/wandb/settings ~/.comet.config ~/clearml.conf ~/.mlflow/credentials ~/.modal.toml
      ~/.lightning/credentials.json ~/.streamlit/secrets.toml ~/.prefect/profiles.toml ~/.openai $config/openai
      ~/.anthropic $config/anthropic ~/.replicate ~/.ollama/id_ed25519 $config/io.datasette.llm
      ~/.jupyter/jupyter_server_config.json $data/jupyter/runtime $HF_HOME/token $HF_HOME/stored_tokens $HF_TOKEN_PATH
      $KAGGLE_CONFIG_DIR
    `),
    mac: paths("$app/io.datasette.llm ~/Library/Jupyter/runtime"),
  },
  {
    what: "agents and the editors that they live in",
    everywhere: [
      ...paths(`
        ~/.claude ~/.claude.json* ~/.codex ~/.cursor ~/.gemini ~/.copilot ~/.codeium ~/.windsurf ~/.continue ~/.aider*
        ~/.cline ~/.roo ~/.qwen ~/.grok ~/.kiro ~/.factory ~/.opencode $config/opencode $data/opencode $config/crush
        $data/crush $config/goose $config/amp $config/zed $data/amazon-q $config/Claude $config/JetBrains/*/c.kdbx
        $config/JetBrains/*/c.pwd ~/.vscode-server/data/User/globalStorage ~/.cursor-server/data/User/globalStorage
        $CLAUDE_CONFIG_DIR $CODEX_HOME
      `),
      ...EDITORS.map((name) => `$config/${name}/User/globalStorage`),
    ],
    mac: [
      ...paths("$app/Claude $app/JetBrains/*/c.kdbx $app/JetBrains/*/c.pwd"),
      ...EDITORS.map((name) => `$app/${name}/User/globalStorage`),
    ],
  },
  {
    what: "password managers, keyrings, wallets",
    everywhere: [
      ...paths(`
        ~/.password-store $data/gopass $config/gopass ~/.op $config/op $config/1Password $config/Bitwarden
        $config/keepassxc $config/KeePass ~/.lastpass ~/.bitcoin ~/.ethereum ~/.electrum ~/.monero $config/Exodus
        $config/solana $PASSWORD_STORE_DIR
      `),
      "$config/Bitwarden CLI",
    ],
    linux: paths(`
      $data/keyrings $data/kwalletd $data/kwallet ~/.gnome2/keyrings ~/.kde/share/apps/kwallet
      ~/.var/app/com.bitwarden.desktop ~/.var/app/org.keepassxc.KeePassXC
    `),
    mac: [
      ...paths(
        "~/Library/Keychains /Library/Keychains $app/1Password $app/Bitwarden $app/keepassxc",
      ),
      "$app/Bitwarden CLI",
      "~/Library/Group Containers/*1password*",
      "~/Library/Group Containers/*bitwarden*",
    ],
  },
  {
    // cookies and passwords are all over a profile, and caches hold the pages
    what: "browsers",
    everywhere: [],
    linux: paths(`
      ~/.mozilla $config/mozilla $cache/mozilla $config/google-chrome* $cache/google-chrome* $config/chromium*
      $cache/chromium* $config/BraveSoftware $cache/BraveSoftware $config/microsoft-edge* $cache/microsoft-edge*
      $config/vivaldi* $cache/vivaldi* $config/opera* $cache/opera* ~/.var/app/org.mozilla.firefox
      ~/.var/app/com.google.Chrome ~/.var/app/org.chromium.Chromium ~/.var/app/com.brave.Browser
      ~/.var/app/com.microsoft.Edge ~/snap/firefox ~/snap/chromium ~/snap/brave
    `),
    mac: [
      ...paths(`
        $app/Firefox $app/Google/Chrome* $app/Chromium $app/BraveSoftware $app/Vivaldi $app/Arc ~/Library/Safari
        ~/Library/Cookies ~/Library/HTTPStorages ~/Library/WebKit ~/Library/Containers/com.apple.Safari
      `),
      "$app/Microsoft Edge*",
    ],
  },
  {
    what: "mail and messengers",
    everywhere: paths(`
      ~/.thunderbird ~/Maildir ~/.mutt ~/.muttrc $config/mutt $config/neomutt ~/.msmtprc $config/msmtp ~/.mbsyncrc
      ~/.offlineimaprc ~/.fetchmailrc ~/.purple ~/.weechat $config/weechat ~/.irssi $config/hexchat $config/Signal
      $config/Slack $config/discord $config/Element $data/TelegramDesktop
    `),
    linux: paths(`
      $config/evolution $data/evolution $config/geary $data/geary ~/.var/app/org.mozilla.Thunderbird
      ~/.var/app/com.slack.Slack ~/.var/app/com.discordapp.Discord ~/.var/app/org.signal.Signal
      ~/.var/app/org.telegram.desktop ~/snap/thunderbird ~/snap/slack ~/snap/telegram-desktop /var/mail /var/spool/mail
    `),
    mac: [
      ...paths(`
        ~/Library/Thunderbird ~/Library/Mail ~/Library/Messages $app/Slack $app/discord $app/Signal $app/Element
        ~/Library/Containers/com.tinyspeck.slackmacgap
      `),
      "$app/Telegram Desktop",
      "~/Library/Group Containers/*telegram*",
      "~/Library/Group Containers/*whatsapp*",
    ],
  },
  {
    what: "databases",
    everywhere: paths(`
      ~/.pgpass ~/.pg_service.conf ~/.my.cnf ~/.mylogin.cnf ~/.mongorc.js ~/.mongoshrc.js ~/.mongodb ~/.redisclirc
      $data/DBeaverData $config/filezilla $PGPASSFILE $PGSERVICEFILE
    `),
    linux: paths("/etc/mysql/debian.cnf"),
    mac: paths("~/Library/DBeaverData"),
  },
  {
    what: "histories of shells and prompts, where passwords end up",
    everywhere: paths(`
      ~/.*_history ~/.zhistory ~/.histfile ~/.bash_sessions ~/.zsh_sessions ~/.Rhistory ~/.lesshst ~/.viminfo
      ~/.ipython/profile_*/history.sqlite* $data/fish/fish_history $config/nushell/history.* $data/atuin $HISTFILE
      $PYTHON_HISTORY
    `),
  },
  {
    what: "secrets of the machine",
    everywhere: paths(`
      /etc/sudoers /etc/sudoers.d /etc/ssh/*_key /etc/ssl/private /etc/krb5.keytab /tmp/krb5cc_* $KRB5CCNAME $KRB5_KTNAME
    `),
    linux: paths(`
      /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/security/opasswd /var/backups/*shadow* /etc/pki/tls/private
      /etc/letsencrypt /etc/wireguard /etc/openvpn /etc/ppp/*-secrets /etc/ipsec.secrets
      /etc/NetworkManager/system-connections /etc/wpa_supplicant /var/lib/cloud
    `),
    mac: paths("/etc/master.passwd /var/db/dslocal /var/db/shadow"),
  },
];

function paths(list: string): string[] {
  return list.trim().split(/\s+/);
}
