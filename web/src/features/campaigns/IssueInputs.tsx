import { Stack, Text } from '@mantine/core';
import { useText } from '@/i18n';
import { WholeInput } from '@/ui/WholeInput';
import { campaignMessages } from './messages';
import type { Campaign } from './queries';

/** What is typed in the dialog. */
export interface IssueForm {
  count: number | null;
}

export const emptyIssue: IssueForm = { count: null };

/** How many the service issues at a time. */
const most = 1000;

/** Whether the service can be asked for so many. */
export const isComplete = ({ count }: IssueForm): boolean => count !== null && count >= 1 && count <= most;

interface Props {
  form: IssueForm;
  campaign: Campaign;
  /** Says what is missing, once somebody tried to issue. */
  strict: boolean;
  disabled: boolean;
  onChange: (change: Partial<IssueForm>) => void;
}

/** How many, and what will be left. */
export function IssueInputs({ form, campaign, strict, disabled, onChange }: Props) {
  const t = useText(campaignMessages);
  const size = form.count ?? 0;
  return (
    <Stack gap="md">
      <WholeInput
        label={t('count')}
        description={t('countHint', { most })}
        disabled={disabled}
        value={form.count}
        error={(strict || size > most) && !isComplete(form) && t('countWrong', { most })}
        onChange={(count) => onChange({ count })}
        data-autofocus
      />
      <Text role="status" className="tabular" c={size > campaign.total - campaign.issued ? 'bad' : 'dimmed'}>
        <Preview size={size} campaign={campaign} />
      </Text>
    </Stack>
  );
}

/** It only foretells: the service decides, as others issue too. */
function Preview({ size, campaign: { total, issued } }: { size: number; campaign: Campaign }) {
  const t = useText(campaignMessages);
  const left = total - issued;
  if (size === 0) return t('previewNone', { left, total });
  return size > left ? t('previewOver', { left, total }) : t('preview', { n: size, after: left - size, total });
}
