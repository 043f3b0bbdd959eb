import { Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay, useUser, votesLeft, type Approval, type Winner } from '@/api';
import { useConfigLabels } from '@/features/configs/useConfigWords';
import { useFormat, useText } from '@/i18n';
import {
  ActBar,
  ActButton,
  Banner,
  Facts,
  History,
  LostRace,
  Person,
  RecordLink,
  RecordPage,
  revisionsOf,
  Section,
  StatusChip,
  useActorName,
  useNameLists,
  When,
  stepKeys,
} from '@/ui';
import { ApprovalStatusChip } from './ApprovalStatusChip';
import { Comments } from './Comments';
import { EditDialog } from './EditDialog';
import { grantsOf } from './grants';
import { approvalMessages } from './messages';
import { approvalHistory, oneApproval, type ApprovalRead, type Step } from './queries';
import { isMade, Sides } from './Sides';
import styles from './Sides.module.css';
import { useDecide } from './useDecide';
import { useFullTitle } from './useTitle';

/** The page of an approval: proposed changes, votes and actions. */
export function ApprovalPage({ id }: { id: number }) {
  const t = useText(approvalMessages);
  return (
    <RecordPage
      query={useQuery(oneApproval(id))}
      name={t('approval', { id: String(id) })}
      parent={{ to: '/approvals', label: t('title') }}
      title={(approval) => <FullTitle approval={approval} />}
      chips={({ status }) => (
        <>
          <ApprovalStatusChip status={status} />
          <StatusChip>{t('approval', { id: String(id) })}</StatusChip>
        </>
      )}
    >
      {(approval) => <Open approval={approval} />}
    </RecordPage>
  );
}

const FullTitle = ({ approval }: { approval: ApprovalRead }) => useFullTitle(approval);

const colours: Partial<Record<Step, string>> = { reject: 'bad', bypass: 'bad', withdraw: 'bad' };

function Open({ approval }: { approval: ApprovalRead }) {
  const t = useText(approvalMessages);
  const me = useUser().id;
  const may = useMay();
  const labels = useConfigLabels();
  const { who, fields: places } = useNameLists(labels);
  const { steps, action, winner, contested, take, forget } = useDecide(approval);
  const [editing, editDialog] = useDisclosure();
  const [lostEdit, setLostEdit] = useState<Winner<Approval>>();
  const { dateTime } = useFormat();
  const { status, author, kind, patch, reason, effectiveTime, statusBy, statusTime } = approval;
  const lost = winner ?? lostEdit;
  const isMine = author.id === me;
  const mayEdit = isMine && may(grantsOf(kind).write) && patch !== undefined && ['pending', 'scheduled', 'stale'].includes(status);
  const close = () => {
    forget();
    setLostEdit(undefined);
  };
  return (
    <>
      {lost !== undefined && (
        <LostRace
          winner={lost}
          status={t(lost.current.status)}
          onlyTerms={lost.current.status === 'pending'}
          actions={lost.current.status === 'pending' ? lost.current.allowedTransitions.map((step) => t(step)) : []}
          onClose={close}
        />
      )}
      {isMade(approval) && <Banner tone="ok" title={t.rich('madeTitle', { when: <When time={statusTime} /> })} />}
      {status === 'stale' && reason !== '' && (
        <Banner tone="warn" title={t('refusedTitle')}>
          {reason} {t('refusedHint')}
        </Banner>
      )}
      {status === 'scheduled' && effectiveTime !== null && (
        <Banner tone="info" title={t('waitsForTime', { who: author.name, time: dateTime(effectiveTime) })}>
          {t('scheduledHint')}
        </Banner>
      )}
      {status === 'stale' && reason === '' && (
        <Banner tone="warn" title={t.rich('staleTitle', { who: who(statusBy), when: <When time={statusTime} /> })}>
          {contested === undefined ? t('staleHint') : contested.length === 0 ? t('contestedOther') : t('contested', { places: places(contested) })}
        </Banner>
      )}
      {status === 'pending' && isMine && <Text c="dimmed">{t('ownHint')}</Text>}
      {(steps.length > 0 || mayEdit) && (
        <ActBar>
          {steps.map((step) => (
            <ActButton
              key={step}
              hotkey={stepKeys[step]}
              variant={step === steps.find((one) => colours[one] === undefined) ? 'filled' : 'default'}
              color={colours[step]}
              loading={action.outcome === 'sending' && action.sent?.step === step}
              disabled={action.outcome === 'sending' || action.outcome === 'unknown'}
              onClick={() => void take(step)}
            >
              {t(step)}
            </ActButton>
          ))}
          {mayEdit && (
            <ActButton hotkey={stepKeys.edit} onClick={editDialog.open}>
              {t('edit')}
            </ActButton>
          )}
        </ActBar>
      )}
      <Sides approval={approval} />
      <About approval={approval} />
      <Votes approval={approval} />
      <Comments approval={approval} />
      <Past id={approval.id} />
      {editing && <EditDialog approval={approval} onClose={editDialog.close} onLost={setLostEdit} />}
    </>
  );
}

function About({ approval: { kind, resource, author, createdTime, note, reason, expiresTime, effectiveTime, status } }: { approval: ApprovalRead }) {
  const t = useText(approvalMessages);
  const { dateTime } = useFormat();
  return (
    <Section title={t('facts')}>
      <Facts
        facts={[
          [
            t('what'),
            <span key="what" className="mono">
              <RecordLink path={resource} />
            </span>,
          ],
          [t('kind'), t(kind)],
          [t('author'), <Person key="author" person={author} withAvatar />],
          [t('proposed'), dateTime(createdTime)],
          [t('note'), note === '' ? t('noNote') : note],
          reason !== '' && [t('reason'), reason],
          effectiveTime !== null && [t('effective'), dateTime(effectiveTime)],
          status === 'pending' && [t('expires'), <When key="expires" time={expiresTime} />],
        ]}
      />
    </Section>
  );
}

function Votes({ approval }: { approval: ApprovalRead }) {
  const t = useText(approvalMessages);
  const nameOf = useActorName();
  const { votes, required } = approval;
  return (
    <Section
      title={required === 0 ? t('votes') : `${t('votes')} · ${t('votesOf', { given: String(required - votesLeft(approval)), required: String(required) })}`}
    >
      {votes.length === 0 ? (
        <Text c="dimmed">{t(required === 0 ? 'noVotesNeeded' : 'noVotes')}</Text>
      ) : (
        <ul className={styles.votes}>
          {votes.map(({ user, token, verdict, version, time, stands }) => (
            <li key={`${user.id} ${version}`}>
              <Person person={user} withAvatar />
              {token !== null && <span>{t('byToken', { id: String(token.id), creator: nameOf(token.createdBy) })}</span>}
              <StatusChip tone={!stands ? 'neutral' : verdict === 'approve' ? 'ok' : 'bad'}>{t(`voted_${verdict}`)}</StatusChip>
              {!stands && (
                <span>
                  {t('void')}: {t('voidHint')}
                </span>
              )}
              <When time={time} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Past({ id }: { id: number }) {
  const t = useText(approvalMessages);
  const query = useInfiniteQuery(approvalHistory(id));
  return (
    <History
      title={t('history')}
      query={query}
      entries={revisionsOf(query).map(({ version, action, from, to, changedBy, changedTime }) => ({
        version,
        changedBy,
        changedTime,
        action: t(`did_${action}`),
        marks: from !== null && from !== to && <ApprovalStatusChip status={to} />,
      }))}
    />
  );
}
