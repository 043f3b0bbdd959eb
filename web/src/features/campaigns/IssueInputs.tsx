import { Stack, Text } from '@mantine/core';
import { useText } from '@/i18n';
import { WholeInput } from '@/ui/WholeInput';
import { campaignMessages } from './messages';
import type { Campaign } from './queries';

/** The form of the dialog. */
export interface IssueForm {
  count: number | null;
}

export const emptyIssue: IssueForm = { count: null };

/** The maximum number of coupons per request, as in the service. */
const maxCount = 1000;

/** Whether the form is complete and within the service's maximum. */
export const isComplete = ({ count }: IssueForm): boolean => count !== null && count >= 1 && count <= maxCount;

interface Props {
  form: IssueForm;
  campaign: Campaign;
  /** Whether to show faults: the user has tried to issue. */
  strict: boolean;
  disabled: boolean;
  onChange: (change: Partial<IssueForm>) => void;
}

/** The number of coupons, and how many will be left. */
export function IssueInputs({ form, campaign, strict, disabled, onChange }: Props) {
  const t = useText(campaignMessages);
  const size = form.count ?? 0;
  return (
    <Stack gap="md">
      <WholeInput
        label={t('count')}
        description={t('countHint', { most: maxCount })}
        disabled={disabled}
        value={form.count}
        error={(strict || size > maxCount) && !isComplete(form) && t('countWrong', { most: maxCount })}
        onChange={(count) => onChange({ count })}
        data-autofocus
      />
      <Text role="status" className="tabular" c={size > campaign.total - campaign.issued ? 'bad' : 'dimmed'}>
        <Preview size={size} campaign={campaign} />
      </Text>
    </Stack>
  );
}

/** A preview of the remaining coupons. Other users can issue coupons too, so the service decides. */
function Preview({ size, campaign: { total, issued } }: { size: number; campaign: Campaign }) {
  const t = useText(campaignMessages);
  const left = total - issued;
  if (size === 0) return t('previewNone', { left, total });
  return size > left ? t('previewExceeds', { left, total }) : t('preview', { n: size, after: left - size, total });
}
