import { Button, Loader } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { isProblem, useMay, useUser } from '@/api';
import { useText } from '@/i18n';
import { ProblemBanner, Section, StatusChip, useConfirm, useKeyedAction, useToasts, When } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { useOwnProviders } from '@/ui/signin/useProviders';
import { Empty } from '@/ui/table';
import styles from '../sessions/Sessions.module.css';
import { LinkAccount } from './LinkAccount';
import { linkMessages } from './messages';
import { linksOf, removeLink, type Link } from './queries';

interface Props {
  userId: number;
  /** One's own are added here too. */
  isOwn: boolean;
  hasPassword: boolean;
}

/** The links of a user to providers of single sign-on; nothing where there is neither a link nor a provider. */
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
      {linking && <LinkAccount providers={providers} asksPassword={hasPassword && !secondFactor} onClose={close} />}
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
  const confirm = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const name = provider ?? issuer;
  const reread = () => void queries.invalidateQueries({ queryKey: ['users', 'one', String(userId)] });
  const remove = useKeyedAction<null, unknown>({
    scope: `users/${userId}/links/${id}`,
    title: t('removeOne', { name }),
    topics: ['users'],
    send: () => removeLink(userId, isOwn, id),
    onDone: () => {
      toasts.done(t('removed', { name }));
      reread();
    },
    onRefused: (error) => {
      if (isProblem(error, 'not_found')) toasts.info(t('removedAlready'));
      else toasts.failed(error);
      reread();
    },
  });
  const ask = async () => {
    const question = { title: t('removeAsk', { name }), body: t(isOwn ? 'removeOwn' : 'removeOther'), confirm: t('remove'), tone: 'bad' as const };
    if ((await confirm(question)) !== undefined) remove.run(null);
  };
  return (
    <li className={styles.session}>
      <div className={styles.about}>
        <div className={styles.head}>
          <span className={styles.device}>{name}</span>
          {provider === null && <StatusChip tone="warn">{t('gone')}</StatusChip>}
        </div>
        <div className={styles.facts}>
          <code>{subject}</code>
          <span>{t.rich('since', { when: <When time={createdTime} /> })}</span>
          <span>{lastUsedTime === null ? t('notUsed') : t.rich('used', { when: <When time={lastUsedTime} /> })}</span>
        </div>
      </div>
      {mayRemove && (
        <Button
          color="bad"
          variant="subtle"
          aria-label={t('removeOne', { name })}
          loading={remove.outcome === 'sending'}
          disabled={remove.outcome === 'unknown'}
          onClick={() => void ask()}
        >
          {t('remove')}
        </Button>
      )}
    </li>
  );
}
