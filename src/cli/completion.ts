import { command } from "./command.js";
import { oneOf, word } from "./options.js";
import { OK } from "./terminal.js";

/** Asks the command itself what may stand for the last word. */
const ASK = "messaging-sim --completions";

const SCRIPTS = {
  bash: `_messaging_sim() {
  mapfile -t COMPREPLY < <(compgen -W "$(${ASK} "\${COMP_WORDS[@]:0:COMP_CWORD+1}")" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _messaging_sim messaging-sim
`,
  zsh: `#compdef messaging-sim
_messaging_sim() {
  local -a found
  found=(\${(f)"$(${ASK} "\${(@)words[1,CURRENT]}")"})
  (( \${#found} )) && compadd -a found || _default
}
if [[ "\${zsh_eval_context[-1]}" == loadautofunc ]]; then _messaging_sim "$@"; else compdef _messaging_sim messaging-sim; fi
`,
  fish: `complete -c messaging-sim -a '(${ASK} (commandline -opc) (commandline -ct))'
`,
};

/** `messaging-sim completion bash|zsh|fish`: the script that lets a shell complete the commands and their options. */
export const COMPLETION = command({
  options: {
    shell: word("bash, zsh or fish", oneOf("shell", SCRIPTS)),
  },
  examples: [["messaging-sim completion bash", "prints the script"]],
  exits: { 0: "the script is printed", 2: "there is none for such a shell" },
  epilogue:
    'bash: eval "$(messaging-sim completion bash)" in ~/.bashrc; zsh: the same in ~/.zshrc; fish: messaging-sim completion fish | source',
  run: async ({ shell }, { out }) => {
    out(SCRIPTS[shell]);
    return OK;
  },
});
