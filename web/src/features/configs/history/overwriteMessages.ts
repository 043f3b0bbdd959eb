import { catalogue } from '@/i18n';

/** Separate from the other texts of the history, because every page loads them. */
export const overwriteMessages = catalogue(
  {
    overwrote: '{who} overwrote your change to {key}.',
    overwroteWithReason: '{who} overwrote your change to {key}: “{why}”',
    show: 'Show the config',
  },
  {
    overwrote: '{who} 覆盖了你对 {key} 的更改。',
    overwroteWithReason: '{who} 覆盖了你对 {key} 的更改：“{why}”',
    show: '查看配置',
  },
);
