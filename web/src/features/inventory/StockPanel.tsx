import { Button, Loader, Paper, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Person, ProblemBanner, When } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { AdjustDialog } from './AdjustDialog';
import { inventoryMessages } from './messages';
import { oneStock, type Stock } from './queries';
import { StockChip } from './StockChip';
import styles from './StockPanel.module.css';

/** How many pieces of an item there are, and the way to adjust that. */
export function StockPanel({ sku }: { sku: string }) {
  const t = useText(inventoryMessages);
  const ui = useText(uiMessages);
  const { data: stock, error, refetch } = useQuery(oneStock(sku));
  const mayAdjust = useMay()('inventory:adjust');
  const [adjusting, { open, close }] = useDisclosure();
  return (
    <Paper component="section" p="lg" aria-labelledby="stock">
      <div className={styles.head}>
        <Title order={2} id="stock">
          {t('stock')} {stock !== undefined && stock.version > 0 && <StockChip available={stock.available} />}
        </Title>
        {mayAdjust && stock !== undefined && <Button onClick={open}>{t('adjustStock')}</Button>}
      </div>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {stock === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {stock !== undefined && <Numbers stock={stock} />}
      {adjusting && stock !== undefined && <AdjustDialog stock={stock} onClose={close} />}
    </Paper>
  );
}

function Numbers({ stock }: { stock: Stock }) {
  const t = useText(inventoryMessages);
  const { number } = useFormat();
  return (
    <>
      <dl className={styles.numbers}>
        {(['onHand', 'reserved', 'available'] as const).map((name) => (
          <div key={name}>
            <dt>{t(name)}</dt>
            <dd>
              <div className={`${styles.number ?? ''} tabular`}>{number(stock[name])}</div>
              <div className={styles.hint}>{t(`${name}Hint`)}</div>
            </dd>
          </div>
        ))}
      </dl>
      <div className={styles.changed}>
        {stock.updatedBy === null || stock.updatedTime === null ? (
          t('untouched')
        ) : (
          <>
            {t('updated')} <When time={stock.updatedTime} /> · <Person person={stock.updatedBy} />
          </>
        )}
      </div>
    </>
  );
}
