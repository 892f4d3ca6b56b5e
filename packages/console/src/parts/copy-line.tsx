import { useRef, useState } from 'preact/hooks';

/** A text to copy, such as a command. */
export function CopyLine({ label, text }: { readonly label: string; readonly text: string }) {
  const shown = useRef<HTMLPreElement>(null);
  const [words, setWords] = useState('Copy');
  const copy = async () => {
    const done = await copied(text, shown.current);
    setWords(done ? 'Copied' : 'Selected');
    setTimeout(() => setWords('Copy'), 2000);
  };
  return (
    <div class="copy-line">
      <span class="label">{label}</span>
      <pre ref={shown}>{text}</pre>
      <button type="button" onClick={copy} aria-label={`${words}: ${label}`}>
        {words}
      </button>
    </div>
  );
}

/** Copies a text; false: the browser does not allow it (no TLS), so the text is selected. */
async function copied(text: string, element: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (element !== null) getSelection()?.selectAllChildren(element);
    return false;
  }
}
