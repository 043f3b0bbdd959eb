import { fireEvent } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { afterPress, press } from './press';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
});

test('updates during a press run after the click in order', () => {
  const happened: string[] = [];
  const happens = (what: string) => afterPress(() => happened.push(what));
  happens('before');
  vi.runAllTimers();
  expect(happened).toEqual(['before']);

  fireEvent.pointerDown(document.body);
  happens('first');
  happens('second');
  vi.advanceTimersByTime(500);
  fireEvent.pointerUp(document.body);
  fireEvent.click(document.body);
  expect(happened).toEqual(['before']);
  vi.runAllTimers();
  expect(happened).toEqual(['before', 'first', 'second']);
});

test('a press that starts when another ends is a press', () => {
  afterPress(() => undefined);
  fireEvent.pointerDown(document.body);
  fireEvent.pointerUp(document.body);
  fireEvent.pointerDown(document.body);
  vi.advanceTimersByTime(500);
  expect(press.isPressed()).toBe(true);
  fireEvent.pointerUp(document.body);
  vi.runAllTimers();
  expect(press.isPressed()).toBe(false);
});

test('a press without an end event ends after a timeout', () => {
  const listener = vi.fn();
  const unsubscribe = press.subscribe(listener);
  fireEvent.pointerDown(document.body);
  expect(press.isPressed()).toBe(true);
  const callback = vi.fn();
  afterPress(callback);
  vi.advanceTimersByTime(5000);
  expect(press.isPressed()).toBe(false);
  vi.runAllTimers();
  expect(callback).toHaveBeenCalledOnce();
  expect(listener).toHaveBeenCalledTimes(2);
  unsubscribe();
});
