import { catalogue } from '@/i18n';

/** Separate from the other texts of the history, because every page loads them. */
export const overwriteMessages = catalogue(
  {
    told: '{who} overwrote your change to {key}.',
    toldWhy: '{who} overwrote your change to {key}: “{why}”',
    show: 'Show the config',
  },
  {
    told: '{who} 覆盖了你对 {key} 的更改。',
    toldWhy: '{who} 覆盖了你对 {key} 的更改：“{why}”',
    show: '查看配置',
  },
);
