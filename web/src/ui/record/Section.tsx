import { Group, Paper, Text, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';

interface Props {
  title: ReactNode;
  hint?: ReactNode;
  /** A button or link at the end of the heading line. */
  action?: ReactNode;
  /** Whether the section is an aside element. */
  aside?: boolean;
  className?: string;
  children: ReactNode;
}

/** A section of a page with a heading. */
export function Section({ title, hint, action, aside = false, className, children }: Props) {
  const id = useId();
  return (
    <Paper component={aside ? 'aside' : 'section'} p="lg" aria-labelledby={id} className={className}>
      <Group justify="space-between" gap="xs" mb="sm">
        <div>
          <Title order={2} id={id}>
            {title}
          </Title>
          {hint !== undefined && <Text c="dimmed">{hint}</Text>}
        </div>
        {action}
      </Group>
      {children}
    </Paper>
  );
}
