import { useFormat, useText } from '@/i18n';
import type { JsonObject } from '@/merge';
import type { FieldTexts } from '@/ui/edit/fields';
import { useWorth } from '@/features/coupons/useWorth';
import { discountOf, spellDiscount } from './discount';
import { campaignMessages } from './messages';
import type { CampaignRevision, CampaignTerms } from './queries';

/** What of a campaign is edited in its form; what is being typed may be none. */
export type CampaignFields = {
  name: string;
  /** Kind and value as one; see discount.ts. */
  discount: string;
  minimumAmount: number | null;
  total: number | null;
  perUser: number | null;
  /** To the millisecond, as the browser spells times: what it cannot spell is no edit. */
  validFrom: string | null;
  validTo: string | null;
};

export type CampaignField = keyof CampaignFields;

export function readFields(terms: CampaignTerms): CampaignFields {
  const { name, kind, value, minimumAmount, total, perUser, validFrom, validTo } = terms;
  return { name, discount: spellDiscount({ kind, value }), minimumAmount, total, perUser, validFrom: spelled(validFrom), validTo: spelled(validTo) };
}

const spelled = (time: string) => new Date(time).toISOString();

/** The merge patch of the service for one of the form. */
export function patchOfTerms({ discount, ...patch }: JsonObject): JsonObject {
  if (typeof discount !== 'string') return patch;
  const { kind, value } = discountOf(discount);
  return { ...patch, kind, value };
}

/** The terms of fields without faults. */
export function termsOf({ discount, ...fields }: CampaignFields): CampaignTerms {
  const { kind, value } = discountOf(discount);
  return {
    name: fields.name.trim(),
    kind,
    value: value ?? 0,
    minimumAmount: fields.minimumAmount ?? 0,
    total: fields.total ?? 0,
    perUser: fields.perUser ?? 0,
    validFrom: fields.validFrom ?? '',
    validTo: fields.validTo ?? '',
  };
}

export function useCampaignTexts(): FieldTexts<CampaignFields> {
  const t = useText(campaignMessages);
  const worth = useWorth();
  const { money, number, dateTime } = useFormat();
  const show = <T>(value: T | null, format: (value: T) => string) => (value === null ? '' : format(value));
  return {
    name: { label: t('name'), show: ({ name }) => name },
    discount: {
      label: t('discount'),
      show: ({ discount }) => {
        const { kind, value } = discountOf(discount);
        return show(value, (known) => worth({ kind, value: known }));
      },
    },
    minimumAmount: { label: t('minimum'), show: ({ minimumAmount }) => show(minimumAmount, money) },
    total: { label: t('total'), show: ({ total }) => show(total, number) },
    perUser: { label: t('perUser'), show: ({ perUser }) => show(perUser, number) },
    validFrom: { label: t('validFrom'), show: ({ validFrom }) => show(validFrom, dateTime) },
    validTo: { label: t('validTo'), show: ({ validTo }) => show(validTo, dateTime) },
  };
}

/** The same with how many were issued, which no form edits, for the history. */
export function useRevisionTexts(): FieldTexts<CampaignFields & { issued: number }> {
  const t = useText(campaignMessages);
  const { number } = useFormat();
  return { ...useCampaignTexts(), issued: { label: t('issued'), show: ({ issued }) => number(issued) } };
}

export const readRevision = (revision: CampaignRevision) => ({ ...readFields(revision), issued: revision.issued });
