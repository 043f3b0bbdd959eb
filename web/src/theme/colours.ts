/** The colours of both schemes. Every text colour meets WCAG AA (4.5:1) on its backgrounds; theme.test.ts verifies it. */
export interface Scheme {
  background: string;
  card: string;
  /** Background of chips, hovered rows and keys. */
  soft: string;
  line: string;
  /** Border of inputs and buttons: 3:1 against the card. */
  edge: string;
  text: string;
  dimmed: string;
  accent: string;
  accentSoft: string;
  warn: string;
  warnSoft: string;
  ok: string;
  okSoft: string;
  bad: string;
  badSoft: string;
  info: string;
  infoSoft: string;
}

export const light: Scheme = {
  background: '#f7f8fa',
  card: '#ffffff',
  soft: '#eef1f5',
  line: '#e4e7ec',
  edge: '#8a94a3',
  text: '#101828',
  dimmed: '#556070',
  accent: '#0b7285',
  accentSoft: '#e3f6f9',
  warn: '#b54708',
  warnSoft: '#fff3e4',
  ok: '#067647',
  okSoft: '#e6f6ee',
  bad: '#b42318',
  badSoft: '#fdecea',
  info: '#175cd3',
  infoSoft: '#e9f0fd',
};

export const dark: Scheme = {
  background: '#0e1216',
  card: '#161b21',
  soft: '#232a33',
  line: '#28303a',
  edge: '#6b7787',
  text: '#e8ecf1',
  dimmed: '#9aa7b5',
  accent: '#3bc9db',
  accentSoft: '#12333a',
  warn: '#fdb022',
  warnSoft: '#38280d',
  ok: '#4ade9c',
  okSoft: '#0f3021',
  bad: '#ff8a80',
  badSoft: '#3d1b1a',
  info: '#84b6ff',
  infoSoft: '#172a48',
};

/** The meaning of a chip, banner or button. */
export const tones = ['accent', 'warn', 'ok', 'bad', 'info'] as const;
export type Tone = (typeof tones)[number] | 'neutral';

/** Fill colours of action buttons in both schemes; their text is white. */
export const filled = { accent: '#0b7285', warn: '#b54708', ok: '#067647', bad: '#b42318', info: '#175cd3' } as const;
export const filledHover = { accent: '#095e6e', warn: '#963b07', ok: '#05623b', bad: '#951d14', info: '#134db0' } as const;
