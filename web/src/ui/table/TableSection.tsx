import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** The id of the heading, unique on the page. */
  id: string;
  title: string;
  hint?: string;
  children: ReactNode;
}

/** A table as a section of a page, with a heading. */
export function TableSection({ id, title, hint, children }: Props) {
  return (
    <section aria-labelledby={id}>
      <Title order={2} id={id} mb={hint === undefined ? 'xs' : 2}>
        {title}
      </Title>
      {hint !== undefined && (
        <Text c="dimmed" mb="xs">
          {hint}
        </Text>
      )}
      {children}
    </section>
  );
}
