import { catalogue } from '@/i18n';

export const searchMessages = catalogue(
  {
    label: 'Search and actions',
    hint: 'Type an action, page, name, order number, SKU, key or code',
    here: 'On this page',
    recent: 'Recent',
    create: 'Create',
    pages: 'Pages',
    general: 'General',
    timelines: 'Timelines',
    timelineOf: 'Timeline of {query}',
    nothing: 'Nothing found for “{query}”',
    searching: 'Searching…',
    failed: 'Search failed. {why}',
    results: '{n} result | {n} results',
  },
  {
    label: '搜索与操作',
    hint: '输入操作、页面、名称、订单号、SKU、配置键或券码',
    here: '此页面',
    recent: '最近打开',
    create: '新建',
    pages: '页面',
    general: '通用',
    timelines: '时间线',
    timelineOf: '{query} 的时间线',
    nothing: '没有找到“{query}”',
    searching: '搜索中…',
    failed: '搜索失败。{why}',
    results: '{n} 个结果',
  },
);
