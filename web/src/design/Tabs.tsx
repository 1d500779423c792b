import "./surfaces.css";
import type { ReactNode } from "react";
import { Tab, TabList, TabPanel, Tabs as Whole } from "react-aria-components";

export interface TabItem {
  id: string;
  title: ReactNode;
  body: ReactNode;
}

export function Tabs({
  label,
  items,
  chosen,
  onChoose,
  className = "",
}: {
  label: string;
  items: TabItem[];
  chosen?: string;
  onChoose?: (id: string) => void;
  className?: string;
}) {
  return (
    <Whole
      className={`tabs ${className}`}
      {...(chosen !== undefined ? { selectedKey: chosen } : {})}
      onSelectionChange={(key) => onChoose?.(String(key))}
    >
      <TabList aria-label={label} className="tab-list">
        {items.map(({ id, title }) => (
          <Tab key={id} id={id} className="tab">
            {title}
          </Tab>
        ))}
      </TabList>
      {items.map(({ id, body }) => (
        <TabPanel key={id} id={id} className="tab-panel">
          {body}
        </TabPanel>
      ))}
    </Whole>
  );
}
