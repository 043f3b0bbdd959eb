/** What a session is used with, as far as its browser says; a name is a proper noun in every language. */
export interface Device {
  program: string | undefined;
  system: string | undefined;
}

/** Browsers by what only they say. Most also claim to be those below them. */
const programs: readonly (readonly [RegExp, string])[] = [
  [/\bMicroMessenger\//, 'WeChat'],
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPiOS)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/(?:Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bVersion\/\S+ .*\bSafari\//, 'Safari'],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bHarmonyOS\b/, 'HarmonyOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac(?:intosh| OS X)\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const firstIn = (names: typeof programs, userAgent: string): string | undefined => names.find(([says]) => says.test(userAgent))?.[1];

/** Reads a User-Agent; a program that is no browser is called by its first word. Nothing is decided by it, since anybody can say anything. */
export function deviceOf(userAgent: string): Device {
  const [first = ''] = userAgent.trim().split(/[/\s(;]/, 1);
  const own = first === '' || first === 'Mozilla' ? undefined : first;
  return { program: firstIn(programs, userAgent) ?? own, system: firstIn(systems, userAgent) };
}
