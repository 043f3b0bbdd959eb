import { catalogue } from '@/i18n';

/** Loaded with every page, so it only contains the texts of record pages. */
export const recordWorkMessages = catalogue({ open: 'Create a work order' }, { open: '新建工单' });
