import { useFormat, useText } from '@/i18n';
import { minorOf } from '@/ui/MoneyInput';
import type { JsonObject } from '@/merge';
import { contentOfFields, labelsOf, type FieldTexts, type Labels } from '@/ui';
import { settingsMessages } from './messages';
import type { Settings } from './queries';

/** The form of the settings. A number is null while its input is invalid. An amount is the typed text, empty for no amount. */
export type SettingsFields = {
  approvalsRequired: number | null;
  approvalDays: number | null;
  refundApprovalThreshold: string;
  walletApprovalThreshold: string;
};

export const counts = ['approvalsRequired', 'approvalDays'] as const;
export const amounts = ['refundApprovalThreshold', 'walletApprovalThreshold'] as const;
type Count = (typeof counts)[number];

/** The service's maximum for each setting; the minimum is 1. */
export const most: Record<Count, number> = { approvalsRequired: 10, approvalDays: 90 };

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
      return value === null || value < 1 || value > most[name];
    }
    return fields[name].trim() !== '' && minor(fields[name]) === null;
  };
  /** Parses an amount. An invalid one stays text, and the form cannot be submitted until it is corrected. */
  const amount = (text: string) => (text.trim() === '' ? null : (minor(text) ?? text));
  const read = (settings: Content): SettingsFields => ({
    approvalsRequired: settings.approvalsRequired ?? null,
    approvalDays: settings.approvalDays ?? null,
    refundApprovalThreshold: spell(settings.refundApprovalThreshold),
    walletApprovalThreshold: spell(settings.walletApprovalThreshold),
  });
  return {
    isWrong,
    isComplete: (fields: SettingsFields) => [...counts, ...amounts].every((name) => !isWrong(fields, name)),
    read,
    formOf: (content: JsonObject) => read(content),
    contentOf: (fields: SettingsFields): JsonObject =>
      contentOfFields({
        ...fields,
        refundApprovalThreshold: amount(fields.refundApprovalThreshold),
        walletApprovalThreshold: amount(fields.walletApprovalThreshold),
      }),
  };
}

/** The labels and values of the settings. */
export function useSettingsLabels(): Labels {
  const t = useText(settingsMessages);
  const { money } = useFormat();
  type Shown = Record<Count, number> & Record<(typeof amounts)[number], number | string>;
  const shown = (minor: number | string) => (typeof minor === 'number' ? money(minor) : minor);
  const texts: FieldTexts<Shown> = {
    approvalsRequired: { label: t('approvalsRequired'), show: (votes) => t('votes', { n: votes }) },
    approvalDays: { label: t('approvalDays'), show: (days) => t('days', { n: days }) },
    refundApprovalThreshold: { label: t('refundApprovalThreshold'), show: shown },
    walletApprovalThreshold: { label: t('walletApprovalThreshold'), show: shown },
  };
  return labelsOf(texts);
}
