/**
 * Shell scripts that ask `lhs complete` for the word at the cursor. It prints a word per line; a
 * line `:files` or `:folders` lets the shell add such names. Words with blanks and quotes are
 * written as the shell reads them back.
 */
const BASH = `_lhs() {
  local line part rest="$COMP_LINE" words=()
  # bash breaks words at ":" and "="; put those without a blank between them together again
  for part in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    [[ $rest == [[:space:]]* || -z $part || \${#words[@]} -eq 0 ]] && words+=("")
    words[\${#words[@]}-1]+="$part"
    rest="\${rest#"\${rest%%[![:space:]]*}"}"
    rest="\${rest#"$part"}"
  done
  local last=$((\${#words[@]}-1)) quote= broken=
  local current="\${words[last]}"
  # a word in quotes is not broken, and is completed without its quote
  if [[ $current == [\\'\\"]* ]]; then quote="\${current:0:1}" current="\${current:1}"; fi
  [[ $quote != \\' ]] && current="\${current//\\\\/}"
  [[ -z $quote ]] && broken="\${current%"\${current##*[:=]}"}"
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default -o filenames; continue ;;
      :folders) compopt -o dirnames -o filenames; continue ;;
    esac
    line="\${line#"$broken"}"
    if [[ $quote == \\" ]]; then
      for part in \\\\ \\" \\$ \\\`; do line=\${line//"$part"/"\\\\$part"}; done
    elif [[ $quote == \\' ]]; then line="\${line//\\'/\\'\\\\\\'\\'}"
    elif [[ $line == *[!A-Za-z0-9_.,:=@%+/-]* ]]; then
      printf -v line %q "$line"
    fi
    COMPREPLY+=("$line")
  done < <(lhs complete -- "\${words[@]:1:last-1}" "$current" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *: ]] && compopt -o nospace
}
complete -F _lhs lhs
`;

const ZSH = `#compdef lhs
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_lhs() {
  local -a found
  local line
  while IFS= read -r line; do
    case $line in
      :files) _files ;;
      :folders) _files -/ ;;
      *) found+=("$line") ;;
    esac
  done < <(lhs complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  local -a open=(\${(M)found:#*:}) whole=(\${found:#*:})
  (( \${#open} )) && compadd -U -S '' -a open
  (( \${#whole} )) && compadd -U -a whole
}
compdef _lhs lhs
`;

const FISH = `function __lhs_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (lhs complete -- $words[2..-1] 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path (commandline -ct)
      case :folders
        __fish_complete_directories (commandline -ct)
      case '*'
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
  $found = lhs complete -- @words 2>$null | Where-Object { $_ -notin ':files', ':folders' }
  $found | ForEach-Object {
    $text = if ($_ -match '[\\s"''\`$;|&(){}<>#]') { "'" + $_.Replace("'", "''") + "'" } else { $_ }
    [System.Management.Automation.CompletionResult]::new($text)
  }
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
