// What this tab remembers until it is closed: drafts above all.
import { useEffect, useState } from "react";

/** A value kept in the session's storage under a key; another key has another value. */
export function useKept<T>(key: string, initial: T): [T, (value: T) => void] {
  const [held, setHeld] = useState(() => ({ key, value: read(key, initial) }));
  const now = held.key === key ? held : { key, value: read(key, initial) };
  useEffect(() => {
    if (held.key !== key) setHeld({ key, value: read(key, initial) });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `initial` counts once
  }, [key]);
  const set = (value: T) => {
    try {
      sessionStorage.setItem(key, JSON.stringify(value));
    } catch {
      // A full or forbidden storage loses drafts on reload, nothing else.
    }
    setHeld({ key, value });
  };
  return [now.value, set];
}

function read<T>(key: string, initial: T): T {
  try {
    const kept = sessionStorage.getItem(key);
    return kept === null ? initial : (JSON.parse(kept) as T);
  } catch {
    return initial;
  }
}
