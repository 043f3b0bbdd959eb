import type { ReactNode } from 'react';
import type { components } from '@/api';
import { useFormat } from '@/i18n';
import { CustomerLink } from '../CustomerLink';
import { Money } from '../Money';
import { Person } from '../Person';
import { When } from '../When';

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /**
   * The text of the cell in an exported file, for programs: amounts and numbers without grouping,
   * times in UTC, statuses as in the contract. A column without this member is not exported.
   */
  text?: (row: Row) => string;
  /** The header in an exported file, if it needs more detail. */
  fileHeader?: string;
  /** The name by which the service sorts the field; undefined if it cannot. */
  sort?: string;
  /** Numbers and amounts align at the end. */
  align?: 'start' | 'end';
  isAmount?: boolean;
  /** Displays the cell in monospace, for keys and order numbers. */
  mono?: boolean;
  /** Hidden by default. */
  optional?: boolean;
  /** Displayed on phones by default. The user can select other columns. */
  narrow?: boolean;
}

type More<Row> = Partial<Omit<Column<Row>, 'id' | 'header'>>;
type Of<Row, V> = (row: Row) => V | null | undefined;

/** The kinds of columns. Each kind has one representation on the page and one in an exported file. */
export function useColumn<Row>() {
  const { number, plainMoney, dateTime, zone } = useFormat();
  const given = <V,>(value: V | null | undefined, show: (value: V) => string) => (value === null || value === undefined ? '' : show(value));
  return {
    /** Text; `cell` replaces its display, for example with a link or a chip. */
    text: (id: string, header: string, text: Of<Row, string | number>, more: More<Row> = {}): Column<Row> => {
      const plain = (row: Row) => given(text(row), String);
      return { id, header, cell: plain, text: plain, ...more };
    },
    count: (id: string, header: string, count: Of<Row, number>, more: More<Row> = {}): Column<Row> => ({
      id,
      header,
      cell: (row) => given(count(row), number),
      text: (row) => given(count(row), String),
      align: 'end',
      ...more,
    }),
    /** An amount in minor units, with the decimals of the currency. */
    money: (id: string, header: string, minor: Of<Row, number>, more: More<Row> = {}): Column<Row> => ({
      id,
      header,
      cell: (row) => {
        const amount = minor(row);
        return amount === null || amount === undefined ? '' : <Money minor={amount} />;
      },
      text: (row) => given(minor(row), plainMoney),
      align: 'end',
      isAmount: true,
      ...more,
    }),
    /** A relative time; in an exported file the time in UTC. */
    time: (id: string, header: string, time: Of<Row, string>, more: More<Row> = {}): Column<Row> => ({
      id,
      header,
      cell: (row) => {
        const at = time(row);
        return at === null || at === undefined ? '' : <When time={at} />;
      },
      text: (row) => given(time(row), (at) => at),
      fileHeader: `${header} (UTC)`,
      ...more,
    }),
    /** An absolute time to the second, in the zone that the header names. */
    exact: (id: string, header: string, time: Of<Row, string>, more: More<Row> = {}): Column<Row> => ({
      id,
      header: `${header} (${zone})`,
      cell: (row) => given(time(row), dateTime),
      ...more,
    }),
    /** A customer by the shop's id, linked to its page. */
    customer: (id: string, header: string, userId: Of<Row, string>, more: More<Row> = {}): Column<Row> => ({
      id,
      header,
      cell: (row) => {
        const customer = userId(row);
        return customer === null || customer === undefined ? '' : <CustomerLink userId={customer} />;
      },
      text: (row) => userId(row) ?? '',
      ...more,
    }),
    person: (id: string, header: string, person: Of<Row, components['schemas']['Actor']>, more: More<Row> = {}): Column<Row> => ({
      id,
      header,
      cell: (row) => {
        const who = person(row);
        return who === null || who === undefined ? '' : <Person person={who} withAvatar />;
      },
      text: (row) => given(person(row), ({ name }) => name),
      ...more,
    }),
  };
}
