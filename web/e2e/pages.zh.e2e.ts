import { everyPageIsRight } from './matrix';

everyPageIsRight({ language: 'zh', width: 1280 });
