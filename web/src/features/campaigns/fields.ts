import { useWorth } from '@/features/coupons/useWorth';
import { useFormat, useText } from '@/i18n';
import type { JsonObject } from '@/merge';
import { fieldsOf, wordsOf, type FieldTexts, type Words } from '@/ui';
import { discountOf, spellDiscount } from './discount';
import { campaignMessages } from './messages';
import type { CampaignTerms } from './queries';

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

const minute = 60_000;

/** A campaign that begins now, with nothing typed. */
export const blankCampaign = (): CampaignFields => ({
  name: '',
  discount: 'amount ',
  minimumAmount: 0,
  total: null,
  perUser: 1,
  validFrom: new Date(Math.floor(Date.now() / minute) * minute).toISOString(),
  validTo: null,
});

export const formOf = fieldsOf<CampaignFields>({
  name: '',
  discount: 'amount ',
  minimumAmount: null,
  total: null,
  perUser: null,
  validFrom: null,
  validTo: null,
});

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

/** How a campaign is read, field by field; how many were issued, which no form edits, stands in its history. */
export function useCampaignWords(): Words {
  const t = useText(campaignMessages);
  const { worth } = useWorth();
  const { money, number, dateTime } = useFormat();
  const texts: FieldTexts<CampaignFields & { issued: number }> = {
    name: { label: t('name'), show: (name) => name },
    discount: {
      label: t('discount'),
      show: (discount) => {
        const { kind, value } = discountOf(discount);
        return value === null ? '' : worth({ kind, value });
      },
    },
    minimumAmount: { label: t('minimum'), show: money },
    total: { label: t('total'), show: number },
    perUser: { label: t('perUser'), show: number },
    validFrom: { label: t('validFrom'), show: dateTime },
    validTo: { label: t('validTo'), show: dateTime },
    issued: { label: t('issued'), show: number },
  };
  return wordsOf(texts);
}
