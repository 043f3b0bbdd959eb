import { catalogue } from '@/i18n';

export const codeMessages = catalogue({ line: 'Line {line}:', take: 'Take this change' }, { line: '第 {line} 行：', take: '采用此更改' });
