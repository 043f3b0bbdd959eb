import { Anchor, Paper, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { Person, When } from '@/ui';
import styles from './Dashboard.module.css';
import { dashboardMessages } from './messages';
import { PageLink } from './PageLink';
import type { RecentChange } from './queries';

/** The latest changes: who, what and when, each with the way to what was changed. */
export function RecentChanges({ changes }: { changes: readonly RecentChange[] }) {
  const t = useText(dashboardMessages);
  return (
    <Paper component="section" aria-labelledby="recent">
      <div className={styles.head}>
        <Title order={2} id="recent">
          {t('recent')}
        </Title>
        <Anchor component={Link} to="/audit-log">
          {t('allChanges')}
        </Anchor>
      </div>
      {changes.length === 0 && <p className={styles.note}>{t('noChanges')}</p>}
      <ul className={styles.list}>
        {changes.map((change) => (
          <li key={change.id} className={styles.row}>
            <Person person={change.actor} withAvatar />
            <span className={styles.what}>
              <Deed action={change.action} /> <PageLink path={change.resource} />
            </span>
            <span className={styles.end}>
              <When time={change.createdTime} />
            </span>
          </li>
        ))}
      </ul>
    </Paper>
  );
}

const verbs = [
  'create',
  'update',
  'delete',
  'rollback',
  'import',
  'batch',
  'archive',
  'restore',
  'pay',
  'ship',
  'complete',
  'cancel',
  'issue',
  'redeem',
  'return',
  'void',
  'expire',
] as const;

/** "order.pay" in words; what has none is named as the audit log names it. */
function Deed({ action }: { action: string }) {
  const t = useText(dashboardMessages);
  const verb = verbs.find((one) => action.endsWith(`.${one}`));
  return verb === undefined ? <code>{action}</code> : t(verb);
}
