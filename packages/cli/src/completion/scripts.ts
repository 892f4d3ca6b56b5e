/**
 * Shell scripts that ask `lhs complete` for the word at the cursor. It prints a word per line; a
 * line `:files` lets the shell add names of files.
 */
const BASH = `_lhs() {
  local line part rest="$COMP_LINE" files= words=()
  # bash breaks words at ":" and "="; put those without a blank between them together again
  for part in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    [[ $rest == [[:space:]]* || -z $part || \${#words[@]} -eq 0 ]] && words+=("")
    words[\${#words[@]}-1]+="$part"
    rest="\${rest#"\${rest%%[![:space:]]*}"}"
    rest="\${rest#"$part"}"
  done
  local current="\${words[\${#words[@]}-1]}" broken=
  # a word in quotes is not broken, and is completed without its quote
  if [[ $current == [\\'\\"]* ]]; then current="\${current:1}"
  else broken="\${current%"\${current##*[:=]}"}"; fi
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then files=1
    elif [[ $line == "$current"* ]]; then COMPREPLY+=("\${line#"$broken"}"); fi
  done < <(lhs complete -- "\${words[@]:1}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *: ]] && compopt -o nospace
  [[ -n $files ]] && compopt -o default -o filenames
}
complete -F _lhs lhs
`;

const ZSH = `#compdef lhs
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_lhs() {
  local -a found
  local line files=
  while IFS= read -r line; do
    if [[ $line == :files ]]; then files=1; else found+=("$line"); fi
  done < <(lhs complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  local -a open=(\${(M)found:#*:}) whole=(\${found:#*:})
  (( \${#open} )) && compadd -S '' -a open
  (( \${#whole} )) && compadd -a whole
  [[ -n $files ]] && _files
}
compdef _lhs lhs
`;

const FISH = `function __lhs_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (lhs complete -- $words[2..-1] 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c lhs -f -a '(__lhs_complete)'
`;

const POWERSHELL = `Register-ArgumentCompleter -Native -CommandName lhs -ScriptBlock {
  param($word, $ast, $cursor)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($word -eq '') { $words += '' }
  lhs complete -- @words 2>$null | Where-Object { $_ -ne ':files' -and $_ -like "$word*" } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`;

/** The script of each shell. */
export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL } as const;
/** A shell that has a script. */
export type Shell = keyof typeof SCRIPTS;
/** The names of all shells. */
export const SHELLS = Object.keys(SCRIPTS) as readonly Shell[];

/** How to load the script in every new shell. */
export const SETUP: Readonly<Record<Shell, string>> = {
  bash: `echo 'source <(lhs completion bash)' >> ~/.bashrc`,
  zsh: `echo 'source <(lhs completion zsh)' >> ~/.zshrc  # below the line with compinit`,
  fish: 'lhs completion fish > ~/.config/fish/completions/lhs.fish',
  powershell: 'lhs completion powershell >> $PROFILE',
};
