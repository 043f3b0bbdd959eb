import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Mark } from '../brand/Mark';
import styles from './FullPage.module.css';

/** A page that contains only a message. */
export function FullPage({ title, hint, children }: { title: string; hint?: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles.page}>
      <Stack gap="sm" align="center" maw={480}>
        <Mark size={40} />
        <Title order={1} ta="center">
          {title}
        </Title>
        {hint !== undefined && (
          <Text c="dimmed" ta="center">
            {hint}
          </Text>
        )}
        {children}
      </Stack>
    </div>
  );
}
