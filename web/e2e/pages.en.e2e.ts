import { everyPageIsRight } from './matrix';

everyPageIsRight({ language: 'en', width: 390 });
