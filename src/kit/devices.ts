/** The device in a user agent. Clients can send any text. */

export interface Device {
  /** `tv`, `tablet`, `mobile`, `desktop` or `other`; empty without a user agent. */
  type: string;
  /** In the spelling of its maker: `iOS`; empty if unknown. */
  os: string;
  /** The name in the user agent: `iPhone`, `SM-S911B`; empty if unknown. */
  model: string;
}

/** In order of precedence, for user agents that match several. */
const types: readonly [string, RegExp][] = [
  ['tv', /smart-?tv|appletv|apple tv|googletv|crkey|roku|aft[a-z]|web0s|tizen.*tv|hbbtv|bravia/i],
  ['tablet', /ipad|tablet|kindle|silk|android(?!.*mobile)/i],
  ['mobile', /mobi|iphone|ipod|android/i],
  ['desktop', /windows|macintosh|linux|cros/i],
];

const systems: readonly [string, RegExp][] = [
  ['tvOS', /apple ?tv|tvos/i],
  ['iOS', /iphone|ipad|ipod/i],
  ['Roku OS', /roku/i],
  ['Fire OS', /aft[a-z]|kindle|silk/i],
  ['webOS', /web[0o]s/i],
  ['Tizen', /tizen/i],
  ['Android', /android/i],
  ['ChromeOS', /\bcros\b/i],
  ['Windows', /windows/i],
  ['macOS', /macintosh|mac os x/i],
  ['Linux', /linux/i],
];

const named = /\b(iPhone|iPad|iPod|Apple ?TV|Roku)\b/;
/** `Android 14; SM-S911B Build/UP1A) …`. Browsers that hide the model put `K` in its place. */
const onAndroid = /Android [\d.]+; (?!K\))([^;()]{1,60}?)(?: Build\/[^;()]*)?\)/;

export function deviceTypeOf(userAgent: string): string {
  return first(types, userAgent) ?? 'other';
}

export function deviceOf(userAgent: string | undefined): Device {
  if (userAgent === undefined || userAgent === '') return { type: '', os: '', model: '' };
  const model = named.exec(userAgent)?.[1] ?? onAndroid.exec(userAgent)?.[1] ?? '';
  return { type: deviceTypeOf(userAgent), os: first(systems, userAgent) ?? '', model };
}

function first(known: readonly [string, RegExp][], userAgent: string): string | undefined {
  return known.find(([, pattern]) => pattern.test(userAgent))?.[0];
}
