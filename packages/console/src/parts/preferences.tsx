import { useState } from 'preact/hooks';
import { setZone, type ZoneChoice, zoneChoice, zoneName } from '../text/zone.ts';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** What a person prefers, in this browser. */
interface Preferences {
  readonly zone: ZoneChoice;
  readonly theme: Theme;
}

const KEY = 'lhs-preferences';
const FIRST: Preferences = { zone: 'UTC', theme: 'system' };

/** Applies the preferences that this browser stores; the defaults if its storage is off. */
export function applyPreferences(): Preferences {
  const stored = readStored();
  const zone = stored.zone === 'local' ? 'local' : FIRST.zone;
  const theme = THEMES.find((one) => one === stored.theme) ?? FIRST.theme;
  setZone(zone);
  document.documentElement.dataset.theme = theme;
  return { zone, theme };
}

function readStored(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>;
  } catch {
    return {};
  }
}

function store(preferences: Preferences): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // it holds until the page is left
  }
}

/** The zone of times and the colors of the screen. `changed`: draws the screen again. */
export function PreferencesMenu({ changed }: { readonly changed: () => void }) {
  const [preferences, setPreferences] = useState(applyPreferences);
  const choose = (part: Partial<Preferences>) => {
    const next = { ...preferences, ...part };
    store(next);
    setZone(next.zone);
    document.documentElement.dataset.theme = next.theme;
    setPreferences(next);
    changed();
  };
  return (
    <details class="preferences">
      <summary>{zoneName(zoneChoice())}</summary>
      <div>
        <label>
          Times{' '}
          <select
            value={preferences.zone}
            onChange={({ currentTarget: { value } }) => choose({ zone: value as ZoneChoice })}
          >
            {(['UTC', 'local'] as const).map((zone) => (
              <option key={zone} value={zone}>
                {zoneName(zone)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Colors{' '}
          <select
            value={preferences.theme}
            onChange={({ currentTarget: { value } }) => choose({ theme: value as Theme })}
          >
            {THEMES.map((theme) => (
              <option key={theme}>{theme}</option>
            ))}
          </select>
        </label>
      </div>
    </details>
  );
}
