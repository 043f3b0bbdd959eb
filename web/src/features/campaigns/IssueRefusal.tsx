import { Button } from '@mantine/core';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { Banner, ProblemBanner } from '@/ui';
import type { IssueForm } from './IssueInputs';
import { campaignMessages } from './messages';
import type { LimitReached } from './queries';
import { readUserIds } from './userIds';

interface Props {
  error: unknown;
  /** How many were asked for. */
  asked: number;
  form: IssueForm;
  onChange: (change: Partial<IssueForm>) => void;
}

/** Which limit stands against it, and what can be asked for instead. */
export function IssueRefusal({ error, asked, form, onChange }: Props) {
  const t = useText(campaignMessages);
  if (isProblem(error, 'validation_failed') && error.fields.some(({ code }) => code === 'over')) {
    return (
      <Banner tone="warn" title={t('overAlready')}>
        {t('overHint')}
      </Banner>
    );
  }
  if (!isProblem(error, 'limit_reached')) return <ProblemBanner error={error} />;
  const { left, total = 0, perUser = 0, userIds = [] } = error.as<LimitReached>();
  if (left === undefined) {
    const full = new Set(userIds);
    const others = readUserIds(form.users).ids.filter((id) => !full.has(id));
    return (
      <Banner
        tone="warn"
        title={t('limitUsers', { n: userIds.length, perUser })}
        action={others.length > 0 && <Button onClick={() => onChange({ users: others.join('\n') })}>{t('leaveOut')}</Button>}
      >
        <span className="mono">{userIds.join(', ')}</span>
      </Banner>
    );
  }
  if (left === 0) return <Banner tone="warn" title={t('limitGone', { total })} />;
  return (
    <Banner
      tone="warn"
      title={t('limitLeft', { left, total, n: asked })}
      action={form.way === 'count' && <Button onClick={() => onChange({ count: left })}>{t('takeLeft', { left })}</Button>}
    >
      {t('limitHint')}
    </Banner>
  );
}
