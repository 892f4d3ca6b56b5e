import { useEffect, useRef } from 'preact/hooks';

/** Calls `press` for keys without modifiers while no field has the focus. True: the key is used. */
export function useKeys(press: (key: string) => boolean): void {
  const latest = useRef(press);
  latest.current = press;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isInField = (event.target as Element | null)?.closest?.('input, select, textarea');
      if (isInField || event.ctrlKey || event.metaKey || event.altKey) return;
      if (latest.current(event.key)) event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
