import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { uiMessages } from '../messages';
import { RecordLink } from '../RecordLink';
import { Banner } from './Banner';
import styles from './Banner.module.css';
import { useProblemText, useRuleText } from './problemText';

interface Props {
  error: unknown;
  retry?: () => void;
  /** A further action. */
  action?: ReactNode;
  /** Whether an input shows the violation at a JSON Pointer. The banner lists all others. */
  hasInput?: (pointer: string) => boolean;
}

const nothing = () => false;

/** A failed request: the message, its faults, a retry button and the request id. */
export function ProblemBanner({ error, retry, action, hasInput: hasInput = nothing }: Props) {
  const t = useText(uiMessages);
  const text = useProblemText();
  const rule = useRuleText();
  const id = isProblem(error) && error.status >= 500 ? error.requestId : '';
  const places = isProblem(error) ? error.fields.filter(({ pointer }) => !hasInput(pointer)) : [];
  const [short] = isProblem(error, 'insufficient_stock') ? (error.as<{ lines?: { sku: string }[] }>().lines ?? []) : [];
  // Every fault is already shown at an input.
  if (isProblem(error, 'validation_failed') && error.fields.length > 0 && places.length === 0) return null;
  return (
    <Banner
      tone="bad"
      title={text(error)}
      action={
        <>
          {retry !== undefined && <Button onClick={retry}>{t('retry')}</Button>}
          {short !== undefined && <RecordLink path={`items/${short.sku}`}>{t('adjustStockOf', { sku: short.sku })}</RecordLink>}
          {action}
        </>
      }
    >
      {places.length > 0 ? (
        <ul className={styles.places}>
          {places.map((place) => (
            <li key={`${place.pointer} ${place.message}`}>
              {place.pointer !== '' && <code>{place.pointer}</code>} {rule(place)}
            </li>
          ))}
        </ul>
      ) : id !== '' ? (
        <code>{t('requestId', { id })}</code>
      ) : undefined}
    </Banner>
  );
}
