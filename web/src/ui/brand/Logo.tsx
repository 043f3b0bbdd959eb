import { Group, Text } from '@mantine/core';
import { Mark } from './Mark';

export const productName = 'Interlock';

/** The logo with the product name. */
export function Logo({ size = 26 }: { size?: number }) {
  return (
    <Group gap={10} wrap="nowrap">
      <Mark size={size} />
      <Text component="span" fw={650} fz={size * 0.65} lh={1}>
        {productName}
      </Text>
    </Group>
  );
}
