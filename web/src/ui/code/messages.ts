import { catalogue } from '@/i18n';

export const codeMessages = catalogue({ line: 'Line {line}:', take: 'Take this stretch' }, { line: '第 {line} 行：', take: '采用这一段' });
