import { useFormat, useText } from '@/i18n';
import { minorOf } from '@/ui/MoneyInput';
import type { JsonObject } from '@/merge';
import { contentOfFields, labelsOf, type FieldTexts, type Labels } from '@/ui';
import { settingsMessages } from './messages';
import type { Settings } from './queries';

/**
 * The form of the settings. A number is null while its input is invalid, except unpaidOrderMinutes: null is never. An amount is the
 * typed text, empty for no amount.
 */
export type SettingsFields = {
  approvalsRequired: number | null;
  approvalDays: number | null;
  refundApprovalThreshold: string;
  walletApprovalThreshold: string;
  selfApproval: boolean;
  timeZone: string;
  unpaidOrderMinutes: number | null;
};

export const counts = ['approvalsRequired', 'approvalDays'] as const;
export const amounts = ['refundApprovalThreshold', 'walletApprovalThreshold'] as const;
type Count = (typeof counts)[number];

/** The service's maximum for each setting; the minimum is 1. */
export const maxCounts: Record<Count, number> = { approvalsRequired: 10, approvalDays: 90 };

/** The service's range of unpaidOrderMinutes; 0 is never. */
export const unpaidMinutes = { least: 5, most: 43_200 } as const;

/** The spelling of amounts in the shop's currency. */
interface Spelling {
  plainMoney: (minor: number) => string;
  minorDigits: number;
}

/** The content of a form. It lacks the numbers that are invalid. */
type Content = Partial<Pick<Settings, keyof SettingsFields>>;

/** Converts settings to the form and back. */
export function settingsForm({ plainMoney, minorDigits }: Spelling) {
  const spell = (minor: number | null | undefined) => (minor === null || minor === undefined ? '' : plainMoney(minor));
  const minor = (text: string) => minorOf(text, minorDigits);
  const isWrong = (fields: SettingsFields, name: keyof SettingsFields): boolean => {
    if (name === 'approvalsRequired' || name === 'approvalDays') {
      const value = fields[name];
      return value === null || value < 1 || value > maxCounts[name];
    }
    if (name === 'unpaidOrderMinutes') {
      const value = fields[name];
      return value !== null && (value < unpaidMinutes.least || value > unpaidMinutes.most);
    }
    if (name === 'timeZone') return fields[name].trim() === '';
    if (name === 'selfApproval') return false;
    return fields[name].trim() !== '' && minor(fields[name]) === null;
  };
  /** Parses an amount. An invalid one stays text, and the form cannot be submitted until it is corrected. */
  const amount = (text: string) => (text.trim() === '' ? null : (minor(text) ?? text));
  const read = (settings: Content): SettingsFields => ({
    approvalsRequired: settings.approvalsRequired ?? null,
    approvalDays: settings.approvalDays ?? null,
    refundApprovalThreshold: spell(settings.refundApprovalThreshold),
    walletApprovalThreshold: spell(settings.walletApprovalThreshold),
    selfApproval: settings.selfApproval ?? false,
    timeZone: settings.timeZone ?? '',
    unpaidOrderMinutes: settings.unpaidOrderMinutes === 0 ? null : (settings.unpaidOrderMinutes ?? null),
  });
  return {
    isWrong,
    isComplete: (fields: SettingsFields) => [...counts, ...amounts, 'timeZone' as const, 'unpaidOrderMinutes' as const].every((name) => !isWrong(fields, name)),
    read,
    formOf: (content: JsonObject) => read(content),
    contentOf: (fields: SettingsFields): JsonObject =>
      contentOfFields({
        ...fields,
        refundApprovalThreshold: amount(fields.refundApprovalThreshold),
        walletApprovalThreshold: amount(fields.walletApprovalThreshold),
        timeZone: fields.timeZone.trim(),
        unpaidOrderMinutes: fields.unpaidOrderMinutes ?? 0,
      }),
  };
}

/** The labels and values of the settings. */
export function useSettingsLabels(): Labels {
  const t = useText(settingsMessages);
  const { money } = useFormat();
  type Shown = Record<Count | 'unpaidOrderMinutes', number> & Record<(typeof amounts)[number], number | string> & { selfApproval: boolean; timeZone: string };
  const shown = (minor: number | string) => (typeof minor === 'number' ? money(minor) : minor);
  const texts: FieldTexts<Shown> = {
    approvalsRequired: { label: t('approvalsRequired'), show: (votes) => t('votes', { n: votes }) },
    approvalDays: { label: t('approvalDays'), show: (days) => t('days', { n: days }) },
    refundApprovalThreshold: { label: t('refundApprovalThreshold'), show: shown },
    walletApprovalThreshold: { label: t('walletApprovalThreshold'), show: shown },
    selfApproval: { label: t('selfApproval'), show: (permitted) => t(permitted ? 'permitted' : 'forbidden') },
    timeZone: { label: t('timeZone'), show: (zone) => zone },
    unpaidOrderMinutes: { label: t('unpaidOrderMinutes'), show: (minutes) => (minutes === 0 ? t('never') : t('minutes', { n: minutes })) },
  };
  return labelsOf(texts);
}
