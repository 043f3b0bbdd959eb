import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Tone } from '@/theme';
import styles from './StatusChip.module.css';

interface Props {
  tone?: Tone;
  /** Shows a dot before the text, for a running process. */
  live?: boolean;
  children: ReactNode;
}

/** A status in one or two words. The colour adds no information to the text. */
export function StatusChip({ tone = 'neutral', live = false, children }: Props) {
  return (
    <Badge className={styles.chip} data-tone={tone} leftSection={live ? <span className={styles.dot} /> : undefined}>
      {children}
    </Badge>
  );
}
