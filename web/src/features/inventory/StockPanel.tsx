import { Button, Loader } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Changed, Facts, ProblemBanner, Section, useKeyedAction, useToasts } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { AdjustDialog } from './AdjustDialog';
import { takingBack } from './adjustment';
import { inventoryMessages } from './messages';
import { adjust, oneStock, type Adjustment, type Movement } from './queries';
import { StockChip } from './StockChip';
import styles from './StockPanel.module.css';

const numbers = ['onHand', 'reserved', 'available'] as const;

/** The stock of an item, and the button that adjusts it. */
export function StockPanel({ sku }: { sku: string }) {
  const t = useText(inventoryMessages);
  const ui = useText(uiMessages);
  const { number } = useFormat();
  const { data: stock, error, refetch } = useQuery(oneStock(sku));
  const mayAdjust = useMay()('inventory:adjust');
  const [adjusting, { open, close }] = useDisclosure();
  const undo = useUndo(sku);
  return (
    <Section
      title={
        <>
          {t('stock')} {stock !== undefined && stock.version > 0 && <StockChip available={stock.available} />}
        </>
      }
      action={mayAdjust && stock !== undefined && <Button onClick={open}>{t('adjustStock')}</Button>}
    >
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {stock === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {stock !== undefined && (
        <>
          <Facts
            facts={numbers.map((name) => [
              t(name),
              <div key={name}>
                <div className={`${styles.number ?? ''} tabular`}>{number(stock[name])}</div>
                <div className={styles.hint}>{t(`${name}Hint`)}</div>
              </div>,
            ])}
          />
          <Changed record={stock} label={t('updated')} untouched={t('untouched')} />
        </>
      )}
      {adjusting && stock !== undefined && <AdjustDialog stock={stock} onUndo={undo} onClose={close} />}
    </Section>
  );
}

/**
 * Undoes an adjustment by an opposite one. The hook outlives the dialog, so that an undo with a
 * lost reply is reported when the page opens again.
 */
function useUndo(sku: string): (made: Movement) => void {
  const t = useText(inventoryMessages);
  const { signed } = useFormat();
  const toasts = useToasts();
  const undo = useKeyedAction<Adjustment, Movement>({
    scope: `inventory/${sku}/undo`,
    title: t('undoOf', { sku }),
    topics: ['inventory'],
    send: (request, key) => adjust(sku, request, key),
    onDone: (made) => toasts.done(t('done', { sku, change: signed(made.onHandDelta), onHand: made.onHand })),
  });
  return (made) => undo.run(takingBack(made, t('undoReason')));
}
