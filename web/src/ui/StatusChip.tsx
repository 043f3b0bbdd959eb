import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Tone } from '@/theme';
import styles from './StatusChip.module.css';

interface Props {
  tone?: Tone;
  /** A dot before the words, for what is going on right now. */
  live?: boolean;
  children: ReactNode;
}

/** A word or two about a state. Colour only repeats what the words say. */
export function StatusChip({ tone = 'neutral', live = false, children }: Props) {
  return (
    <Badge className={styles.chip} data-tone={tone} leftSection={live ? <span className={styles.dot} /> : undefined}>
      {children}
    </Badge>
  );
}
