import { Button, Loader } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Changed, Facts, ProblemBanner, Section } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { AdjustDialog } from './AdjustDialog';
import { inventoryMessages } from './messages';
import { oneStock } from './queries';
import { StockChip } from './StockChip';
import styles from './StockPanel.module.css';

const numbers = ['onHand', 'reserved', 'available'] as const;

/** How many pieces of an item there are, and the way to adjust that. */
export function StockPanel({ sku }: { sku: string }) {
  const t = useText(inventoryMessages);
  const ui = useText(uiMessages);
  const { number } = useFormat();
  const { data: stock, error, refetch } = useQuery(oneStock(sku));
  const mayAdjust = useMay()('inventory:adjust');
  const [adjusting, { open, close }] = useDisclosure();
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
      {adjusting && stock !== undefined && <AdjustDialog stock={stock} onClose={close} />}
    </Section>
  );
}
