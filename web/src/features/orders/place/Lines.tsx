import { ActionIcon, Button, NumberInput } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { isProblem } from '@/api';
import { ItemPicker } from '@/features/items/ItemPicker';
import { oneItem } from '@/features/items/queries';
import { useFormat, useText } from '@/i18n';
import { Icon, useRuleText } from '@/ui';
import { orderMessages } from '../messages';
import { placeMessages } from './messages';
import { emptyLine, isSku, maxLines, piecesOf, type Mistake, type Mistakes, type PlacementLine } from './placement';
import styles from './PlaceOrder.module.css';

interface Props {
  lines: PlacementLine[];
  /** Shipping and tax, in minor units, as part of the total. */
  extra: number;
  mistakes: Mistakes;
  /** `touched` selects the lines with outdated reported errors: the line with this index, and all later ones if `on` is true. */
  onChange: (lines: PlacementLine[], touched: { line: number; on: boolean }) => void;
  disabled: boolean;
}

/** The lines of a new order, with the catalog data of each item and the total. */
export function Lines({ lines, extra, mistakes, onChange, disabled }: Props) {
  const t = useText(placeMessages);
  const { money } = useFormat();
  const say = useSay();
  const [typing, setTyping] = useState<string>();
  const items = useQueries({
    queries: lines.map(({ id, sku }) => ({ ...oneItem(sku.trim()), enabled: id !== typing && isSku(sku.trim()) })),
  });
  const change = (at: number, members: Partial<PlacementLine>) =>
    onChange(
      lines.map((line, i) => (i === at ? { ...line, ...members } : line)),
      { line: at, on: false },
    );
  const costs = lines.map((line, i) => {
    const price = items[i]?.data?.price;
    const units = piecesOf(line);
    return price === undefined || units === undefined ? undefined : price * units;
  });
  return (
    <fieldset className={styles.lines} disabled={disabled}>
      <legend className={styles.legend}>{t('lines')}</legend>
      {lines.map((line, i) => {
        const { data: item, error } = items[i] ?? {};
        const unknown = isProblem(error, 'not_found') ? t('noSuchItem') : item?.status === 'archived' ? t('notForSale') : undefined;
        const cost = costs[i];
        return (
          <div key={line.id} className={styles.line}>
            <ItemPicker
              label={t('item', { n: i + 1 })}
              sku={line.sku}
              onChange={(sku) => change(i, { sku })}
              onTyping={(isTyping) => setTyping(isTyping ? line.id : undefined)}
              error={say(mistakes[`/items/${i}/sku`]) ?? unknown}
              description={item !== undefined && `${item.name} · ${money(item.price)}`}
              disabled={disabled}
            />
            <NumberInput
              label={t('quantity', { n: i + 1 })}
              min={1}
              max={10_000}
              clampBehavior="none"
              allowDecimal={false}
              allowNegative={false}
              hideControls
              value={line.quantity}
              error={say(mistakes[`/items/${i}/quantity`])}
              onChange={(quantity) => change(i, { quantity: String(quantity) })}
            />
            <div className={styles.cost}>{cost === undefined ? '–' : money(cost)}</div>
            <ActionIcon
              variant="subtle"
              color="gray"
              c="dimmed"
              size="lg"
              className={styles.remove}
              aria-label={t('remove', { n: i + 1 })}
              disabled={lines.length === 1 || disabled}
              onClick={() =>
                onChange(
                  lines.filter((other) => other !== line),
                  { line: i, on: true },
                )
              }
            >
              <Icon name="cross" />
            </ActionIcon>
          </div>
        );
      })}
      <div className={styles.sum}>
        <Button
          size="xs"
          leftSection={<Icon name="plus" />}
          disabled={lines.length >= maxLines}
          onClick={() => onChange([...lines, emptyLine()], { line: lines.length, on: true })}
        >
          {t('addLine')}
        </Button>
        <div className={styles.total}>
          <span>{t('preview')}</span>
          <strong className="tabular">{money(costs.reduce<number>((sum, cost) => sum + (cost ?? 0), extra))}</strong>
        </div>
      </div>
      <p className={styles.hint}>{t('previewHint')}</p>
    </fieldset>
  );
}

/** Returns the text of a mistake. */
export function useSay(): (mistake: Mistake | undefined) => string | undefined {
  const t = useText(placeMessages);
  const order = useText(orderMessages);
  const ruleText = useRuleText();
  return (mistake) => {
    if (mistake === undefined) return undefined;
    switch (mistake.kind) {
      case 'short':
        return t('short', { wanted: mistake.wanted, available: mistake.available });
      case 'noMetadata':
        return order('metadataMalformed');
      case 'said':
        return t('rejectedSentence', { message: ruleText(mistake) });
      default:
        return t(mistake.kind);
    }
  };
}
