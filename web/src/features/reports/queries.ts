import { queryOptions } from '@tanstack/react-query';
import { api, data, type components } from '@/api';
import { startIn } from '@/i18n/days';
import type { TableSearch } from '@/ui/table';

export type SalesReport = components['schemas']['SalesReportSales'];
export type SalesRow = components['schemas']['SalesReportRow'];

export const groupings = ['day', 'week', 'month', 'sku', 'sale'] as const satisfies readonly SalesReport['by'][];

export interface ReportSearch extends TableSearch {
  by?: SalesReport['by'];
  /** The first day, in the shop's zone. */
  from?: string;
  /** The last day, inclusive. */
  to?: string;
}

/** The refresh interval in ms. It polls because the service sends no event for reports. */
const pause = 60_000;

/** The sales of days in a zone; without days, of the last 30 days in the shop's zone. */
export const salesReport = ({ by = 'day', from, to }: ReportSearch, zone?: string) =>
  queryOptions({
    queryKey: ['reports', 'sales', by, from, to, zone],
    queryFn: ({ signal }) => {
      const days = zone === undefined ? {} : { from: from && startIn(zone, from), to: to && startIn(zone, to, 1) };
      return data(api.GET('/api/v1/reports/sales', { params: { query: { by, ...days } }, signal }));
    },
    refetchInterval: pause,
  });
