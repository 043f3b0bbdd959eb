import { Button, Loader } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMay, useUser } from '@/api';
import { useText } from '@/i18n';
import { ProblemBanner, Section, StatusChip, When } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { useOwnProviders } from '@/ui/signin/useProviders';
import { Empty } from '@/ui/table';
import styles from '../sessions/Sessions.module.css';
import { RemoveButton } from '../RemoveButton';
import { LinkAccount } from './LinkAccount';
import { linkMessages } from './messages';
import { linksOf, removeLink, type Link } from './queries';

interface Props {
  userId: number;
  /** Whether this is the signed-in user, who can add links. */
  isOwn: boolean;
  hasPassword: boolean;
}

/** The links of a user to single sign-on providers; nothing if there are neither links nor providers. */
export function Links({ userId, isOwn, hasPassword }: Props) {
  const t = useText(linkMessages);
  const ui = useText(uiMessages);
  const { data, error, refetch } = useQuery(linksOf(userId, isOwn));
  const providers = useOwnProviders();
  const [linking, { open, close }] = useDisclosure();
  const { secondFactor } = useUser();
  const mayWrite = useMay()('users:write');
  if (providers.length === 0 && (data === undefined || data.length === 0) && error === null) return null;
  return (
    <Section title={t('title')} hint={t(isOwn ? 'ownHint' : 'hint')} action={isOwn && providers.length > 0 && <Button onClick={open}>{t('add')}</Button>}>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {data?.length === 0 && <Empty title={t('none')} hint={t(isOwn ? 'noneHint' : 'noneOfOther')} />}
      {data !== undefined && data.length > 0 && (
        <ul className={styles.list} aria-label={t('list')}>
          {data.map((link) => (
            <OneLink key={link.id} link={link} userId={userId} isOwn={isOwn} mayRemove={isOwn || mayWrite} />
          ))}
        </ul>
      )}
      {linking && <LinkAccount providers={providers} needsPassword={hasPassword && !secondFactor} onClose={close} />}
    </Section>
  );
}

interface OneProps {
  link: Link;
  userId: number;
  isOwn: boolean;
  mayRemove: boolean;
}

function OneLink({ link: { id, provider, issuer, subject, lastUsedTime, createdTime }, userId, isOwn, mayRemove }: OneProps) {
  const t = useText(linkMessages);
  const queries = useQueryClient();
  const name = provider ?? issuer;
  const reread = () => void queries.invalidateQueries({ queryKey: ['users', 'one', String(userId)] });
  return (
    <li className={styles.session}>
      <div className={styles.about}>
        <div className={styles.head}>
          <span className={styles.device}>{name}</span>
          {provider === null && <StatusChip tone="warn">{t('notConfigured')}</StatusChip>}
        </div>
        <div className={styles.facts}>
          <code>{subject}</code>
          <span>{t.rich('since', { when: <When time={createdTime} /> })}</span>
          <span>{lastUsedTime === null ? t('notUsed') : t.rich('used', { when: <When time={lastUsedTime} /> })}</span>
        </div>
      </div>
      {mayRemove && (
        <RemoveButton
          scope={`users/${userId}/links/${id}`}
          label={t('removeOne', { name })}
          text={t('remove')}
          question={{ title: t('removeQuestion', { name }), body: t(isOwn ? 'removeOwn' : 'removeOther') }}
          send={() => removeLink(userId, isOwn, id)}
          done={t('removed', { name })}
          already={t('removedAlready')}
          onChanged={reread}
        />
      )}
    </li>
  );
}
