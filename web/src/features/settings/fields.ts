import { useText } from '@/i18n';
import { fieldsOf, wordsOf, type FieldTexts, type Words } from '@/ui';
import { settingsMessages } from './messages';
import type { Settings } from './queries';

/** What a tenant sets; a number that is being typed may be none. */
export type SettingsFields = {
  approvalsRequired: number | null;
  approvalDays: number | null;
};

/** The most that the service takes of each; the least is 1. */
export const most: Record<keyof SettingsFields, number> = { approvalsRequired: 10, approvalDays: 90 };

export const readFields = ({ approvalsRequired, approvalDays }: Pick<Settings, keyof SettingsFields>): SettingsFields => ({ approvalsRequired, approvalDays });

export const formOf = fieldsOf<SettingsFields>({ approvalsRequired: null, approvalDays: null });

const isWithin = (value: number | null, top: number): boolean => value !== null && value >= 1 && value <= top;

export const isWrong = (fields: SettingsFields, name: keyof SettingsFields): boolean => !isWithin(fields[name], most[name]);

export const isComplete = (fields: SettingsFields): boolean => !isWrong(fields, 'approvalsRequired') && !isWrong(fields, 'approvalDays');

/** How the settings are read, one by one. */
export function useSettingsWords(): Words {
  const t = useText(settingsMessages);
  const texts: FieldTexts<SettingsFields> = {
    approvalsRequired: { label: t('approvalsRequired'), show: (votes) => t('votes', { n: votes }) },
    approvalDays: { label: t('approvalDays'), show: (days) => t('days', { n: days }) },
  };
  return wordsOf(texts);
}
