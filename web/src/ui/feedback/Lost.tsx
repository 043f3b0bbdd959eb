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
  /** What the record is now: "Paid". */
  status: string;
  /** Beside it: its amount. */
  more?: string;
  /** It is in the status that it was in; its terms are others. */
  onlyTerms?: boolean;
  /** What is possible now. */
  actions: readonly string[];
  onClose: () => void;
  /** What else one has to know before one decides anew. */
  children?: ReactNode;
}

/** Says to whom a step was lost, when, what it is since, and what can be done now. */
export function Lost<T>({ winner: { by, time }, status, more, onlyTerms = false, actions, onClose, children }: Props<T>) {
  const t = useText(uiMessages);
  const { relative, list } = useFormat();
  const now = useNow();
  const me = useUser().id;
  const who = by.id === me ? t('you') : by.name;
  const when = relative(time, now);
  // In English a status is no noun in the middle of a sentence.
  const title = onlyTerms ? t('changedFirst', { who, when }) : t('lostTo', { status: status.toLowerCase(), who, when });
  return (
    <Banner tone="warn" title={more === undefined ? title : t('lostMore', { title, more })} action={<Button onClick={onClose}>{t('understood')}</Button>}>
      {actions.length === 0 ? t('lostNothing') : t('lostHint', { actions: list(actions.map(plain)) })} {children}
    </Banner>
  );
}
