/** The program and system of a session, from its User-Agent. Names are the same in every language. */
export interface Device {
  program: string | undefined;
  system: string | undefined;
}

/** Browsers by a token in their User-Agent, in the order of the check: most browsers also send the tokens of later entries. */
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

/**
 * Parses a User-Agent; a program that is not a browser is named by its first word. For display
 * only: clients can send any value.
 */
export function deviceOf(userAgent: string): Device {
  const [first = ''] = userAgent.trim().split(/[/\s(;]/, 1);
  const own = first === '' || first === 'Mozilla' ? undefined : first;
  return { program: firstIn(programs, userAgent) ?? own, system: firstIn(systems, userAgent) };
}
