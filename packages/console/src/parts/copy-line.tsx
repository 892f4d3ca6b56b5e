import { useRef, useState } from 'preact/hooks';

const SHOWN_MS = 2000;

/** A text to copy, such as a command. */
export function CopyLine({ label, text }: { readonly label: string; readonly text: string }) {
  const shown = useRef<HTMLPreElement>(null);
  const { words, copy } = useCopy(text, 'Copy', () => shown.current);
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

/** A button that copies a text which is on the screen. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: string }) {
  const { words, copy } = useCopy(text, 'Copy', () => null);
  return (
    <button type="button" class="plain copy" onClick={copy} aria-label={`${words} ${label}`}>
      {label === 'value' ? (words === 'Copy' ? '⧉' : '✓') : `${words} ${label}`}
    </button>
  );
}

/** `words`: what the button says: for a moment, that it has copied. */
function useCopy(text: string, first: string, element: () => HTMLElement | null) {
  const [words, setWords] = useState(first);
  const copy = async () => {
    const done = await copied(text, element());
    setWords(done ? 'Copied' : element() === null ? 'Not copied' : 'Selected');
    setTimeout(() => setWords(first), SHOWN_MS);
  };
  return { words, copy };
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
