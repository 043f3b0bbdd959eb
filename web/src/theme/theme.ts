import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';
import { dark, filled, filledHover, light, tones, type Scheme } from './colours';

/** Mantine requires ten shades per colour; the variables below set every shade that is used. */
const shades = (soft: string, main: string): MantineColorsTuple => [soft, soft, soft, main, main, main, main, main, main, main];

const colors: Record<string, MantineColorsTuple> = Object.fromEntries(tones.map((tone) => [tone, shades(light[`${tone}Soft`], filled[tone])]));

/** The style of dialog titles, equal to that of section headings. */
const dialogTitle = { fontSize: '16px', fontWeight: 650, lineHeight: '1.4' };

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 6 },
  colors,
  fontFamily: "'Inter Variable', Inter, system-ui, 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', 'JetBrains Mono', ui-monospace, 'Noto Sans Mono CJK SC', monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.35' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '1.35' },
      h2: { fontSize: '16px', lineHeight: '1.4' },
      h3: { fontSize: '14px', lineHeight: '1.5' },
    },
  },
  defaultRadius: 'md',
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm', variant: 'default' }, styles: { root: { fontWeight: 600 } } },
    Badge: { defaultProps: { variant: 'light', radius: 'xl', tt: 'none' } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm' } },
    Textarea: { defaultProps: { size: 'sm' } },
    Paper: { defaultProps: { radius: 'lg', withBorder: true } },
    // A click outside a dialog is usually a mistake and must not discard the input.
    Modal: {
      defaultProps: { radius: 'lg', centered: true, closeOnClickOutside: false, overlayProps: { backgroundOpacity: 0.45 } },
      styles: { title: dialogTitle },
    },
    Drawer: { styles: { title: dialogTitle } },
    // The header of a dialog is not a landmark of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    // The focus placeholder of Mantine is a child of the menu without the role menuitem. Without
    // it, the first item gets the focus.
    Menu: { defaultProps: { shadow: 'md', position: 'bottom-end', withInitialFocusPlaceholder: false } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
    Anchor: { defaultProps: { underline: 'hover' } },
  },
});

/** The CSS variables of one scheme: those of the admin, and those of Mantine, set to the same colours. */
function variables(scheme: Scheme): Record<string, string> {
  const own = Object.fromEntries(Object.entries(scheme).map(([name, colour]) => [`--il-${kebab(name)}`, colour]));
  const perTone = tones.flatMap<[string, string]>((tone) => [
    [`--mantine-color-${tone}-text`, scheme[tone]],
    [`--mantine-color-${tone}-filled`, filled[tone]],
    [`--mantine-color-${tone}-filled-hover`, filledHover[tone]],
    [`--mantine-color-${tone}-light`, scheme[`${tone}Soft`]],
    [`--mantine-color-${tone}-light-hover`, scheme[`${tone}Soft`]],
    [`--mantine-color-${tone}-light-color`, scheme[tone]],
    [`--mantine-color-${tone}-outline`, scheme[tone]],
    [`--mantine-color-${tone}-outline-hover`, scheme[`${tone}Soft`]],
  ]);
  return {
    ...own,
    ...Object.fromEntries(perTone),
    '--mantine-color-body': scheme.background,
    '--mantine-color-text': scheme.text,
    '--mantine-color-bright': scheme.text,
    '--mantine-color-dimmed': scheme.dimmed,
    '--mantine-color-placeholder': scheme.dimmed,
    '--mantine-color-anchor': scheme.accent,
    '--mantine-color-error': scheme.bad,
    '--mantine-color-default': scheme.card,
    '--mantine-color-default-hover': scheme.soft,
    '--mantine-color-default-color': scheme.text,
    '--mantine-color-default-border': scheme.line,
    '--mantine-color-disabled': scheme.soft,
    '--mantine-color-disabled-color': scheme.dimmed,
    '--mantine-color-disabled-border': scheme.line,
    '--mantine-primary-color-contrast': light.card,
  };
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const resolveVariables: CSSVariablesResolver = () => ({ variables: {}, light: variables(light), dark: variables(dark) });
