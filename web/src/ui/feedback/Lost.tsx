import { Button } from '@mantine/core';
import { useUser, type Winner } from '@/api';
import type { ReactNode } from 'react';
import { useFormat, useText } from '@/i18n';
import { uiMessages } from '../messages';
import { useNow } from '../now';
import { Banner } from './Banner';
import { plain } from './plain';

interface Props<T> {
  winner: Winner<T>;
  /** The label of the current status of the record, such as "Paid". */
  status: string;
  /** A detail of the record next to the status, such as the amount. */
  more?: string;
  /** The status is unchanged; only the terms of the record changed. */
  onlyTerms?: boolean;
  /** The actions that are now possible. */
  actions: readonly string[];
  onClose: () => void;
  /** Further facts for the next decision. */
  children?: ReactNode;
}

/** Explains a transition that lost a race: the winner, the time, the current status and the actions that are now possible. */
export function LostRace<T>({ winner: { by, time }, status, more, onlyTerms = false, actions, onClose, children }: Props<T>) {
  const t = useText(uiMessages);
  const { relative, list } = useFormat();
  const now = useNow();
  const me = useUser().id;
  const who = by.id === me ? t('you') : by.name;
  const when = relative(time, now);
  // In an English sentence a status is lower case.
  const title = onlyTerms ? t('changedFirst', { who, when }) : t('lostTo', { status: status.toLowerCase(), who, when });
  return (
    <Banner tone="warn" title={more === undefined ? title : t('lostMore', { title, more })} action={<Button onClick={onClose}>{t('understood')}</Button>}>
      {actions.length === 0 ? t('lostNothing') : t('lostHint', { actions: list(actions.map(plain)) })} {children}
    </Banner>
  );
}
