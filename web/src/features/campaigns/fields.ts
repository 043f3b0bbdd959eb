import { useDiscountText } from '@/features/coupons/useWorth';
import { useFormat, useText } from '@/i18n';
import type { Edit } from '@/merge';
import { contentOfFields, fieldsOf, labelsOf, type FieldTexts, type Labels } from '@/ui';
import { discountOf, spellDiscount } from './discount';
import { campaignMessages } from './messages';
import type { CampaignTerms } from './queries';
import type { Contents } from '@/features/descriptor';
import { campaignResource } from './resource';

/** The editable members of a campaign; null while an input is invalid. */
export type CampaignFields = {
  name: string;
  /** Kind and value as one string, see discount.ts. */
  discount: string;
  minimumAmount: number | null;
  total: number | null;
  perUser: number | null;
  /** A time with the browser's precision of milliseconds. A smaller difference is not an edit. */
  validFrom: string | null;
  validTo: string | null;
};

export type CampaignField = keyof CampaignFields;

const minute = 60_000;

/** The fields of an empty campaign that starts now. */
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

/** Converts a merge patch of the form to the service's form. */
export function patchOfTerms(edit: Edit): Edit {
  if (Array.isArray(edit)) return edit;
  const { discount, ...patch } = edit;
  if (typeof discount !== 'string') return patch;
  const { kind, value } = discountOf(discount);
  return { ...patch, kind, value };
}

/** The request body for fields without faults. */
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

/** The labels and values of a campaign's fields, including the issued count, which only appears in the history. */
export function useCampaignLabels(): Labels {
  const t = useText(campaignMessages);
  const { worth } = useDiscountText();
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
  return labelsOf(texts);
}

/** The content in the audit log. */
export const campaignContents: Contents = {
  noun: campaignResource.noun,
  useLabels: useCampaignLabels,
  read: (record) => contentOfFields(readFields(record as unknown as CampaignTerms)),
};
