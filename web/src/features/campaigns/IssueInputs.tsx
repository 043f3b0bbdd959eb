import { Group, Radio, Stack, Text, Textarea } from '@mantine/core';
import { useText } from '@/i18n';
import { WholeInput } from '@/ui/WholeInput';
import { campaignMessages } from './messages';
import type { Campaign, IssueRequest } from './queries';
import { readUserIds } from './userIds';

/** What is typed in the dialog; both ways keep what was typed in them. */
export interface IssueForm {
  way: 'count' | 'users';
  count: number | null;
  users: string;
}

export const emptyIssue: IssueForm = { way: 'count', count: null, users: '' };

/** How many the service issues at a time. */
const most = 1000;
/** How many wrong entries are named. */
const namedWrong = 5;

/** How many coupons the form asks for, so far. */
export const sizeOf = ({ way, count, users }: IssueForm): number => (way === 'count' ? (count ?? 0) : readUserIds(users).ids.length);

/** The request of a form without faults; undefined for any other. */
export function requestOf(form: IssueForm): IssueRequest | undefined {
  const size = sizeOf(form);
  if (size < 1 || size > most) return undefined;
  if (form.way === 'count') return { count: size };
  const { ids, wrong } = readUserIds(form.users);
  return wrong.length > 0 ? undefined : { userIds: ids };
}

interface Props {
  form: IssueForm;
  campaign: Campaign;
  /** Says what is missing, once somebody tried to issue. */
  strict: boolean;
  disabled: boolean;
  onChange: (change: Partial<IssueForm>) => void;
}

/** For whom or how many, and what will be left. */
export function IssueInputs({ form, campaign, strict, disabled, onChange }: Props) {
  const t = useText(campaignMessages);
  const size = sizeOf(form);
  return (
    <Stack gap="md">
      <Radio.Group label={t('issueFor')} value={form.way} onChange={(way) => onChange({ way })}>
        <Group mt={4} gap="lg">
          <Radio value="count" label={t('byCount')} disabled={disabled} />
          <Radio value="users" label={t('byUsers')} disabled={disabled} />
        </Group>
      </Radio.Group>
      {form.way === 'count' ? (
        <WholeInput
          label={t('count')}
          description={t('countHint', { most })}
          disabled={disabled}
          value={form.count}
          error={(strict || size > most) && (size < 1 || size > most) && t('countWrong', { most })}
          onChange={(count) => onChange({ count })}
          data-autofocus
        />
      ) : (
        <UsersInput text={form.users} strict={strict} disabled={disabled} onChange={(users) => onChange({ users })} />
      )}
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

interface UsersProps {
  text: string;
  strict: boolean;
  disabled: boolean;
  onChange: (text: string) => void;
}

function UsersInput({ text, strict, disabled, onChange }: UsersProps) {
  const t = useText(campaignMessages);
  const { ids, repeated, wrong } = readUserIds(text);
  const fault = () => {
    if (strict && wrong.length > 0)
      return t('usersWrong', { n: wrong.length, words: `${wrong.slice(0, namedWrong).join(', ')}${wrong.length > namedWrong ? ', …' : ''}` });
    if (ids.length > most) return t('usersTooMany', { n: ids.length, most });
    return strict && ids.length === 0 && t('usersNeeded');
  };
  return (
    <div>
      <Textarea
        label={t('users')}
        description={t('usersHint', { most })}
        classNames={{ input: 'mono' }}
        autosize
        minRows={4}
        maxRows={10}
        disabled={disabled}
        value={text}
        error={fault()}
        onChange={(event) => onChange(event.currentTarget.value)}
        data-autofocus
      />
      {repeated > 0 && (
        <Text size="sm" c="dimmed" mt={4}>
          {t('repeated', { n: repeated })}
        </Text>
      )}
    </div>
  );
}
