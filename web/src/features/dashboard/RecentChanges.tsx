import { Anchor, Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '@/api';
import { auditLog } from '@/features/audit/queries';
import { useText } from '@/i18n';
import { Person, ProblemBanner, When } from '@/ui';
import { dashboardMessages } from './messages';
import styles from './RecentChanges.module.css';

const shown = 10;
/** Enough to find that many changes among those who come and go. */
const read = 50;
const reread = 15_000;

/** The latest entries of the audit log. */
export function RecentChanges() {
  const t = useText(dashboardMessages);
  const may = useMay()('audit:read');
  const { data, error, refetch } = useQuery({ ...auditLog({ limit: read }), enabled: may, refetchInterval: reread });
  const changes = data?.items.filter(({ resource }) => resource !== 'session').slice(0, shown);
  return (
    <Paper component="section" aria-labelledby="recent">
      <Group justify="space-between" px="lg" py="sm">
        <Title order={2} id="recent">
          {t('recent')}
        </Title>
        {may && (
          <Anchor component={Link} to="/audit-log">
            {t('allChanges')}
          </Anchor>
        )}
      </Group>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {!may && <Note>{t('mayNotSee')}</Note>}
      {changes?.length === 0 && <Note>{t('noChanges')}</Note>}
      <ul className={styles.list}>
        {changes?.map((entry) => (
          <li key={entry.id} className={styles.item}>
            <Person person={entry.actor} withAvatar />
            <code className={styles.what}>
              {entry.action} {entry.resource}
            </code>
            <Text component="span" c="dimmed" className={styles.when}>
              <When time={entry.createdTime} />
            </Text>
          </li>
        ))}
      </ul>
    </Paper>
  );
}

function Note({ children }: { children: string }) {
  return (
    <Text c="dimmed" px="lg" pb="lg">
      {children}
    </Text>
  );
}
